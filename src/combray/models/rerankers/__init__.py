"""Rerankers: one file per provider, selected by a spec string."""

from __future__ import annotations

from importlib import import_module

from combray.errors import InvalidInputError
from combray.runtime import Reranker

RERANKERS = {
    "none": "candidates keep their order (default)",
    "onnx:PATH": "a cross-encoder exported to ONNX: a folder with model.onnx and tokenizer.json (extra: onnx)",
    "onnx:ORG/NAME": "the same from the Hugging Face hub, after combray models fetch (extra: onnx)",
    "jina:MODEL": "api.jina.ai; JINA_API_KEY",
    "voyage:MODEL": "api.voyageai.com; VOYAGE_API_KEY",
    "siliconflow:MODEL": "api.siliconflow.com; SILICONFLOW_API_KEY",
    "pinecone:MODEL": "api.pinecone.io; PINECONE_API_KEY",
    "ollama:MODEL@URL": "/api/rerank of your own server; @URL is optional on this machine",
}
_POSTED = ("jina", "voyage", "siliconflow", "pinecone", "ollama")


def reranker(spec: str) -> Reranker | None:
    """Return the reranker of a spec, or None for "none".

    Raises InvalidInputError, ModelError, MissingExtraError.
    """
    provider, _, rest = spec.partition(":")
    if provider == "none" and not rest:
        return None
    if provider == "onnx" and rest:
        from combray.models.rerankers.onnx import OnnxReranker

        return OnnxReranker(rest)
    if provider in _POSTED:
        from combray.models.rerankers.posted import PostedReranker
        from combray.models.services import connect, parse

        module = import_module(f"combray.models.rerankers.{provider}")
        read = parse("reranker", module.SERVICE, rest)
        return PostedReranker(module.FORMAT, read.model, connect(module.SERVICE, read))
    raise InvalidInputError("reranker", f"{spec!r} is not known.", "Choose one of: " + ", ".join(RERANKERS) + ".")
