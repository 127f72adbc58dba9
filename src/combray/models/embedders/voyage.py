"""Voyage embeddings: OpenAI's answer format; `input_type` distinguishes queries from documents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from combray.models.embedders.openai import rows, tokens
from combray.models.embedders.posted import Form
from combray.models.services import Service

SERVICE = Service("voyage", "https://api.voyageai.com/v1", key_variable="VOYAGE_API_KEY")


def _body(model: str, texts: list[str], query: bool, dimensions: int) -> Mapping[str, Any]:
    body = {
        "model": model,
        "input": texts,
        "input_type": "query" if query else "document",
        "truncation": True,
    }
    return {**body, "output_dimension": dimensions} if dimensions else body


FORM = Form(
    "/embeddings",
    _body,
    rows,
    tokens,
    dict.fromkeys(
        ("voyage-4-large", "voyage-4", "voyage-4-lite", "voyage-3-large", "voyage-3.5", "voyage-3.5-lite"), 1024
    ),
)
