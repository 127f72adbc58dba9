"""Embedders, rerankers and language models: one file a provider, chosen by one string."""

from __future__ import annotations

from combray.errors import InvalidInputError
from combray.runtime import Embedder

EMBEDDERS = {
    "none": "keyword, entity and graph evidence only",
    "wordllama": "static 256-dimensional table, inside the default install, offline (default)",
    "onnx:PATH": "a sentence model exported to ONNX: a folder with model.onnx and tokenizer.json (extra: onnx)",
}


def embedder(spec: str) -> Embedder | None:
    """The embedder a string names; None for "none". Raises InvalidInputError, ModelError, MissingExtraError."""
    provider, _, model = spec.partition(":")
    if provider == "none" and not model:
        return None
    if provider == "wordllama" and not model:
        from combray.models.wordllama import WordLlamaEmbedder

        return WordLlamaEmbedder()
    if provider == "onnx" and model:
        from combray.models.onnx import OnnxEmbedder

        return OnnxEmbedder(model)
    raise InvalidInputError("embedder", f"{spec!r} is not known.", "Choose one of: " + ", ".join(EMBEDDERS) + ".")
