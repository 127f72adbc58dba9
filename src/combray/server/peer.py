"""The service side of the peer protocol: docs/reference/peer-protocol.md."""

from __future__ import annotations

from typing import Any

from combray.engine import Engine
from combray.types import Answer
from combray.verbs.declaration import Parameter

KNOWN = {
    "query": Parameter("query", required=True),
    "limit": Parameter("limit", type="integer", low=1, high=1000, default=10),
    "namespace": Parameter("namespace", default="default"),
}


def found(engine: Engine, query: str, limit: int, namespaces: list[str]) -> dict[str, Any]:
    """Return what a peer asks for, best first."""
    answer: Answer = engine.recall(query, limit=limit, namespaces=namespaces)
    return {
        "results": [
            {
                "id": hit.memory.id,
                "text": hit.memory.content,
                "score": hit.score,
                "when": hit.memory.moment.isoformat(),
                "source": hit.memory.source,
            }
            for hit in answer
        ]
    }
