"""Your own server: POST /api/rerank with Jina's fields (docs/reference/models.md)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from combray.models.rerankers.posted import Format
from combray.models.services import Service

SERVICE = Service("ollama", "http://127.0.0.1:11434")


def body(model: str, query: str, texts: list[str]) -> Mapping[str, Any]:
    """Return the request: scores of all texts."""
    return {"model": model, "query": query, "documents": texts, "top_n": len(texts)}


FORMAT = Format("/api/rerank", body)
