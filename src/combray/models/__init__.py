"""Embedders, rerankers and language models: one file per provider, selected by a spec string."""

from __future__ import annotations

from importlib import import_module

from combray.errors import InvalidInputError
from combray.models.chat import LANGUAGE_MODELS, language_model
from combray.models.rerankers import RERANKERS, reranker
from combray.runtime import Embedder

__all__ = ["EMBEDDERS", "LANGUAGE_MODELS", "RERANKERS", "embedder", "language_model", "reranker"]

EMBEDDERS = {
    "none": "no vectors: keyword, entity and graph evidence only",
    "wordllama": "static 256-dimensional table, included in the default install, offline (default)",
    "onnx:PATH": "a sentence model exported to ONNX: a folder with model.onnx and tokenizer.json (extra: onnx)",
    "onnx:ORG/NAME": "the same from the Hugging Face hub, after combray models fetch (extra: onnx)",
    "openai:MODEL@URL": "api.openai.com with OPENAI_API_KEY, or any server with the same embeddings",
    "ollama:MODEL@URL": "your own Ollama server; @URL is optional on this machine",
    "gemini:MODEL": "generativelanguage.googleapis.com; GEMINI_API_KEY",
    "voyage:MODEL": "api.voyageai.com; VOYAGE_API_KEY",
    "jina:MODEL": "api.jina.ai; JINA_API_KEY",
}
_POSTED = ("openai", "ollama", "gemini", "voyage", "jina")


def embedder(spec: str) -> Embedder | None:
    """Return the embedder of a spec, or None for "none".

    Raises InvalidInputError, ModelError, MissingExtraError.
    """
    provider, _, model = spec.partition(":")
    if provider == "none" and not model:
        return None
    if provider == "wordllama" and not model:
        from combray.models.wordllama import WordLlamaEmbedder

        return WordLlamaEmbedder()
    if provider == "onnx" and model:
        from combray.models.onnx import OnnxEmbedder

        return OnnxEmbedder(model)
    if provider in _POSTED:
        from combray.models.embedders.posted import MOST_BYTES, PostedEmbedder
        from combray.models.services import connect, parse

        module = import_module(f"combray.models.embedders.{provider}")
        read = parse("embedder", module.SERVICE, model)
        return PostedEmbedder(module.FORM, read, connect(module.SERVICE, read, most_bytes=MOST_BYTES))
    raise InvalidInputError("embedder", f"{spec!r} is not known.", "Choose one of: " + ", ".join(EMBEDDERS) + ".")
