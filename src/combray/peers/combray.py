"""Combray's own protocol, version 1. Source: docs/reference/peer-protocol.md."""

from __future__ import annotations

from typing import ClassVar

import msgspec

from combray.peers.posting import MOST_CHARACTERS, PostedPeer, moment, post
from combray.runtime import PeerHit


class _CombrayResult(msgspec.Struct):
    text: str
    score: float = 0.0
    id: str = ""
    when: str | None = None
    source: str = ""


class _CombrayAnswer(msgspec.Struct):
    results: list[_CombrayResult]


class CombrayPeer(PostedPeer):
    """Implements `runtime.Peer` by POST {url}/v1/search, with the key as a bearer token."""

    header: ClassVar[str] = "Authorization"
    prefix: ClassVar[str] = "Bearer "

    def search(self, query: str, limit: int, namespace: str) -> list[PeerHit]:
        body = {"query": query, "limit": limit, "namespace": namespace}
        answer = post(self.client, "/v1/search", body, _CombrayAnswer)
        return [
            PeerHit(each.text[:MOST_CHARACTERS], each.score, each.id, moment(each.when), each.source)
            for each in answer.results[:limit]
            if each.text.strip()
        ]
