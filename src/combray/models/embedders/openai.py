"""OpenAI's embeddings, also spoken by vLLM, LM Studio, llama.cpp and SiliconFlow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from combray.models.embedders.posted import Form
from combray.models.services import Service

SERVICE = Service("openai", "https://api.openai.com/v1", key_variable="OPENAI_API_KEY")


def _body(model: str, texts: list[str], query: bool, dimensions: int) -> Mapping[str, Any]:
    del query
    body = {"model": model, "input": texts, "encoding_format": "float"}
    return {**body, "dimensions": dimensions} if dimensions else body


def rows(answer: Any) -> Iterable[tuple[Any, Any]]:
    """Return (index, vector) pairs of "data"."""
    return [(each["index"], each["embedding"]) for each in answer["data"]]


def tokens(answer: Any) -> Any:
    """Return the reported token count."""
    return (answer.get("usage") or {}).get("total_tokens")


FORM = Form(
    "/embeddings",
    _body,
    rows,
    tokens,
    {"text-embedding-3-small": 1536, "text-embedding-3-large": 3072, "text-embedding-ada-002": 1536},
)
