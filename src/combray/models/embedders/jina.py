"""Jina embeddings: OpenAI's answer format; models since v3 take a task."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from combray.models.embedders.openai import rows, tokens
from combray.models.embedders.posted import Form
from combray.models.services import Service

SERVICE = Service("jina", "https://api.jina.ai/v1", key_variable="JINA_API_KEY")
_WITHOUT_TASK = ("jina-embeddings-v2", "jina-clip")


def _body(model: str, texts: list[str], query: bool, dimensions: int) -> Mapping[str, Any]:
    body: dict[str, Any] = {"model": model, "input": texts, "embedding_type": "float"}
    if not model.startswith(_WITHOUT_TASK):
        body |= {"task": "retrieval.query" if query else "retrieval.passage", "truncate": True}
    return {**body, "dimensions": dimensions} if dimensions else body


FORM = Form(
    "/embeddings",
    _body,
    rows,
    tokens,
    {"jina-embeddings-v3": 1024, "jina-embeddings-v4": 2048},
)
