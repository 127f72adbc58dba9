"""Jina: POST /v1/rerank. jina-reranker-v3 returns cosines, which can be below 0."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from combray.models.rerankers.posted import Format
from combray.models.services import Service

SERVICE = Service("jina", "https://api.jina.ai/v1", model="jina-reranker-v3", key_variable="JINA_API_KEY")


def body(model: str, query: str, texts: list[str]) -> Mapping[str, Any]:
    """Return the request: scores of all texts, without the texts."""
    return {
        "model": model,
        "query": query,
        "documents": texts,
        "top_n": len(texts),
        "return_documents": False,
    }


FORMAT = Format("/rerank", body)
