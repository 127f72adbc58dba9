"""Pinecone: POST /rerank, documents as objects, a dated API version in the headers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from combray.models.rerankers.posted import Format
from combray.models.services import Service

SERVICE = Service(
    "pinecone",
    "https://api.pinecone.io",
    model="bge-reranker-v2-m3",
    key_variable="PINECONE_API_KEY",
    key_header="Api-Key",
    key_prefix="",
    headers={"X-Pinecone-Api-Version": "2026-04"},
)


def body(model: str, query: str, texts: list[str]) -> Mapping[str, Any]:
    """Return the request. `truncate` END truncates texts to the 512 or 1,024 tokens that a model reads."""
    return {
        "model": model,
        "query": query,
        "documents": [{"text": text} for text in texts],
        "top_n": len(texts),
        "return_documents": False,
        "parameters": {"truncate": "END"},
    }


FORMAT = Format("/rerank", body, results="data", score="score", tokens=())
