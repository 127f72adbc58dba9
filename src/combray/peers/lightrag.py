"""LightRAG's API server: POST /query for its context, without its answer (query_routes.py of HKUDS/LightRAG)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import msgspec

from combray.models.http import Client
from combray.peers.posting import MOST_CHARACTERS, connect, post
from combray.runtime import PeerHit


class _Reference(msgspec.Struct):
    reference_id: str = ""
    file_path: str = ""
    content: list[str] | None = None


class _Answer(msgspec.Struct):
    response: str
    references: list[_Reference] | None = None


@dataclass(frozen=True)
class LightRagPeer:
    """Asks for passages (`only_need_context`): an answer made up by a language model is no memory.

    Mode "naive" searches the passages by vector alone; the graph modes first have a language model find
    keywords, which takes longer than a recall may wait. A LightRAG server holds one workspace: the namespace
    is not sent. The key goes into X-API-Key. LightRAG tells neither scores nor times.
    """

    name: str
    url: str
    key: str
    timeout: float
    mode: str = "naive"

    @cached_property
    def _client(self) -> Client:
        return connect(self.name, self.url, self.timeout, self.key, "X-API-Key")

    def search(self, query: str, limit: int, namespace: str) -> list[PeerHit]:
        """Passages in LightRAG's order, or its whole context as one result. Raises ModelError."""
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
        answer = post(self._client, "/query", body, _Answer)
        passages = [
            PeerHit(text[:MOST_CHARACTERS], id=each.reference_id, source=each.file_path)
            for each in answer.references or ()
            for text in each.content or ()
            if text.strip()
        ]
        if not passages and answer.references and answer.response.strip():
            passages = [PeerHit(answer.response[:MOST_CHARACTERS])]
        return passages[:limit]
