"""mem0's self-hosted REST server: POST /search. Source: server/main.py of https://github.com/mem0ai/mem0."""

from __future__ import annotations

from typing import Any

import msgspec

from combray.peers.posting import MOST_CHARACTERS, PostedPeer, moment, post
from combray.runtime import PeerHit


class _Mem0Result(msgspec.Struct):
    memory: str
    id: str | int = ""
    score: float | None = None
    created_at: str | None = None
    updated_at: str | None = None


class _Mem0Answer(msgspec.Struct):
    results: list[_Mem0Result]


class Mem0Peer(PostedPeer):
    """Implements `runtime.Peer`. The namespace is sent as `user_id`, the key in X-API-Key.

    The limit is called `limit` in some server versions, `top_k` in others, and missing in the oldest. Both are
    sent, because servers ignore unknown fields, and surplus results are dropped.
    """

    def search(self, query: str, limit: int, namespace: str) -> list[PeerHit]:
        body = {"query": query, "user_id": namespace, "limit": limit, "top_k": limit}
        # The first versions returned a bare list.
        shape: Any = _Mem0Answer | list[_Mem0Result]
        answer = post(self.client, "/search", body, shape)
        results: list[_Mem0Result] = answer.results if isinstance(answer, _Mem0Answer) else answer
        return [
            PeerHit(
                each.memory[:MOST_CHARACTERS],
                each.score or 0.0,
                str(each.id),
                moment(each.created_at or each.updated_at),
            )
            for each in results[:limit]
            if each.memory.strip()
        ]
