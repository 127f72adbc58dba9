"""Ollama embeddings: POST /api/embed, vectors in the order of the texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from combray.models.embedders.posted import Form
from combray.models.services import Service

SERVICE = Service("ollama", "http://127.0.0.1:11434")


def _body(model: str, texts: list[str], query: bool, dimensions: int) -> Mapping[str, Any]:
    del query
    body = {"model": model, "input": texts, "truncate": True}
    return {**body, "dimensions": dimensions} if dimensions else body


def _rows(answer: Any) -> Iterable[tuple[Any, Any]]:
    return enumerate(answer["embeddings"])


FORM = Form(
    "/api/embed",
    _body,
    _rows,
    lambda answer: answer.get("prompt_eval_count"),
    {
        "nomic-embed-text": 768,
        "embeddinggemma": 768,
        "mxbai-embed-large": 1024,
        "bge-m3": 1024,
        "all-minilm": 384,
    },
)
