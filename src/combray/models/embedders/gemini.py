"""Google embeddings: POST /models/MODEL:batchEmbedContents, vectors in the order of the texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from combray.models.embedders.posted import Form
from combray.models.services import Service

SERVICE = Service(
    "gemini",
    "https://generativelanguage.googleapis.com/v1beta",
    key_variable="GEMINI_API_KEY",
    key_header="x-goog-api-key",
    key_prefix="",
)
_WITH_TASK = "gemini-embedding-001"


def _body(model: str, texts: list[str], query: bool, dimensions: int) -> Mapping[str, Any]:
    shared: dict[str, Any] = {"model": f"models/{model}"}
    if model == _WITH_TASK:
        shared["taskType"] = "RETRIEVAL_QUERY" if query else "RETRIEVAL_DOCUMENT"
    if dimensions:
        shared["outputDimensionality"] = dimensions
    return {"requests": [{**shared, "content": {"parts": [{"text": text}]}} for text in texts]}


def _rows(answer: Any) -> Iterable[tuple[Any, Any]]:
    return enumerate(each["values"] for each in answer["embeddings"])


FORM = Form(
    "/models/{model}:batchEmbedContents",
    _body,
    _rows,
    lambda answer: (answer.get("usageMetadata") or {}).get("promptTokenCount"),
    {"gemini-embedding-001": 3072, "gemini-embedding-2": 3072},
)
