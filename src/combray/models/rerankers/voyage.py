"""Voyage: POST /v1/rerank with `top_k`; results are under "data"."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from combray.models.rerankers.posted import Format
from combray.models.services import Service

SERVICE = Service("voyage", "https://api.voyageai.com/v1", model="rerank-2.5-lite", key_variable="VOYAGE_API_KEY")


def body(model: str, query: str, texts: list[str]) -> Mapping[str, Any]:
    """Return the request. `truncation` truncates long texts instead of rejecting the request."""
    return {
        "model": model,
        "query": query,
        "documents": texts,
        "top_k": len(texts),
        "return_documents": False,
        "truncation": True,
    }


FORMAT = Format("/rerank", body, results="data")
