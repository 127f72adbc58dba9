"""LightRAG's API server: POST /query for the retrieved context.

Source: lightrag/api/routers/query_routes.py of https://github.com/HKUDS/LightRAG.
"""

from __future__ import annotations

import msgspec

from combray.peers.posting import MOST_CHARACTERS, PostedPeer, post
from combray.records import dataclass
from combray.runtime import PeerHit


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
