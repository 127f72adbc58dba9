"""The protocols of peers. Requests go through the HTTP client of model services; types validate the answers."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, ClassVar, TypeVar

import msgspec

from combray.models.breaker import NEVER, Breaker
from combray.models.http import Client
from combray.records import dataclass, known
from combray.runtime import PeerHit

MOST_BYTES = 1_000_000
MOST_CHARACTERS = 8_000
"""Of one result's text. The longest memory, see docs/reference/presets.md."""

T = TypeVar("T")


def key_variable(peer: str) -> str:
    """Return the environment variable of a peer's key."""
    return "COMBRAY_PEER_KEY_" + peer.upper().replace("-", "_")


@dataclass(frozen=True)
class PostedPeer:
    """A peer behind an HTTP client. Its key is sent in `header`, after `prefix`."""

    name: str
    url: str
    key: str
    timeout: float
    header: ClassVar[str] = "X-API-Key"
    prefix: ClassVar[str] = ""

    @cached_property
    def client(self) -> Client:
        """The client. Nothing is connected yet.

        A call is one attempt of `timeout` seconds, because a recall cannot wait for retries. It uses no proxy.
        `peers.open_peers` adds the breaker.
        """
        return Client(
            f"peer {self.name}",
            self.url,
            key=self.key,
            key_variable=key_variable(self.name),
            headers={self.header: self.prefix + self.key} if self.key else {},
            patience=self.timeout,
            most_bytes=MOST_BYTES,
            breaker=Breaker(f"peer {self.name}", most=NEVER),
            retries=0,
            proxied=False,
        )


def post(client: Client, path: str, body: Mapping[str, Any], shape: type[T]) -> T:
    """POST `body` as JSON and convert the answer to `shape`. Unknown fields are ignored. Raises ModelError."""

    def read(answer: Any) -> T:
        try:
            return msgspec.convert(answer, known(shape))
        except msgspec.ValidationError as error:
            raise client.error(f"the answer is not of the expected shape ({error})") from error

    given: T = client.post(path, body, read=read)
    return given


def moment(text: str | None) -> datetime | None:
    """Parse an ISO 8601 time, in UTC if it has no zone. Return None for anything else."""
    try:
        read = datetime.fromisoformat(text or "")
    except ValueError:
        return None
    return read if read.tzinfo is not None else read.replace(tzinfo=UTC)


# -- Combray's own protocol, version 1. Source: docs/reference/peer-protocol.md --------------------


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


# -- LightRAG's API server: POST /query for the retrieved context ----------------------------------
# Source: lightrag/api/routers/query_routes.py of https://github.com/HKUDS/LightRAG.


class _Reference(msgspec.Struct):
    reference_id: str = ""
    file_path: str = ""
    content: list[str] | None = None


class _LightragAnswer(msgspec.Struct):
    response: str
    references: list[_Reference] | None = None


@dataclass(frozen=True)
class LightRagPeer(PostedPeer):
    """Implements `runtime.Peer`. Requests passages (`only_need_context`), not a generated answer.

    If there are none, the whole context is one result. Mode "naive" is vector search over passages. The graph
    modes call a language model for keywords first, which takes longer than a recall may wait. A server has one
    workspace, so the namespace is not sent. The key is sent in X-API-Key. There are no scores and no times.
    """

    mode: str = "naive"

    def search(self, query: str, limit: int, namespace: str) -> list[PeerHit]:
        del namespace
        body = {
            "query": query,
            "mode": self.mode,
            "only_need_context": True,
            "top_k": limit,
            "chunk_top_k": limit,
            "include_references": True,
            "include_chunk_content": True,
        }
        answer = post(self.client, "/query", body, _LightragAnswer)
        passages = [
            PeerHit(text[:MOST_CHARACTERS], id=each.reference_id, source=each.file_path)
            for each in answer.references or ()
            for text in each.content or ()
            if text.strip()
        ]
        if not passages and answer.references and answer.response.strip():
            passages = [PeerHit(answer.response[:MOST_CHARACTERS])]
        return passages[:limit]


# -- mem0's self-hosted REST server: POST /search --------------------------------------------------
# Source: server/main.py of https://github.com/mem0ai/mem0.


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
