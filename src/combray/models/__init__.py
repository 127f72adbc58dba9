"""Embedders, rerankers and language models, selected by a spec string."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from combray.errors import InvalidInputError
from combray.runtime import Detector, Embedder, Judge, LanguageModel, Reranker, TokenEmbedder

if TYPE_CHECKING:
    from combray.models.http import Client
    from combray.models.services import Spec

EMBEDDERS = {
    "none": "no vectors: keyword, entity and graph evidence only",
    "wordllama": "static 256-dimensional table, included in the default install, offline (default)",
    "onnx:PATH": "a sentence model exported to ONNX: a folder with model.onnx and tokenizer.json (extra: onnx)",
    "onnx:bge-small-en-v1.5": "the listed one, English, after combray models fetch (extra: onnx)",
    "onnx:ORG/NAME": "the same from the Hugging Face hub, after combray models fetch (extra: onnx)",
    "openai:MODEL@URL": "api.openai.com with OPENAI_API_KEY, or any server with the same embeddings",
    "ollama:MODEL@URL": "your own Ollama server; @URL is optional on this machine",
    "gemini:MODEL": "generativelanguage.googleapis.com; GEMINI_API_KEY",
    "voyage:MODEL": "api.voyageai.com; VOYAGE_API_KEY",
    "jina:MODEL": "api.jina.ai; JINA_API_KEY",
}
RERANKERS = {
    "none": "candidates keep their order (default)",
    "onnx:PATH": "a cross-encoder exported to ONNX: a folder with model.onnx and tokenizer.json (extra: onnx)",
    "onnx:ms-marco-MiniLM-L-12-v2": "the listed one, English, after combray models fetch (extra: onnx)",
    "onnx:ORG/NAME": "the same from the Hugging Face hub, after combray models fetch (extra: onnx)",
    "jina:MODEL": "api.jina.ai; JINA_API_KEY",
    "voyage:MODEL": "api.voyageai.com; VOYAGE_API_KEY",
    "siliconflow:MODEL": "api.siliconflow.com; SILICONFLOW_API_KEY",
    "pinecone:MODEL": "api.pinecone.io; PINECONE_API_KEY",
    "ollama:MODEL@URL": "/api/rerank of your own server; @URL is optional on this machine",
}
LATE = {
    "none": "no late interaction (default)",
    "onnx:answerai-colbert-small-v1": "the listed one, English, after combray models fetch (extra: onnx)",
    "onnx:PATH": "a ColBERT model exported to ONNX with its last layer: a folder with model.onnx (extra: onnx)",
}
JUDGES = {
    "none": "pairs wait for the language model, or for you (default)",
    "onnx:PATH": "an NLI cross-encoder exported to ONNX: with config.json beside it (extra: onnx)",
    "onnx:ORG/NAME": "the same from the Hugging Face hub, after combray models fetch (extra: onnx)",
}
DETECTORS = {
    "none": "the guard judges alone (default)",
    "onnx:PATH": "a classifier of prompt injection exported to ONNX: with config.json beside it (extra: onnx)",
    "onnx:ORG/NAME": "the same from the Hugging Face hub, after combray models fetch (extra: onnx)",
}
LANGUAGE_MODELS = {
    "none": "rules only (default)",
    "openai:MODEL@URL": "api.openai.com with OPENAI_API_KEY, or any server with the same chat completions",
    "anthropic:MODEL": "api.anthropic.com; ANTHROPIC_API_KEY",
    "gemini:MODEL": "generativelanguage.googleapis.com; GEMINI_API_KEY",
}
CHAT_PATIENCE = 60.0
"""Seconds for one answer. No interactive caller waits for it, and a long answer takes time."""


def embedder(spec: str) -> Embedder | None:
    """Return the embedder of a spec, or None for "none".

    Raises InvalidInputError, ModelError, MissingExtraError.
    """
    provider, _, model = spec.partition(":")
    if provider == "none" and not model:
        return None
    if provider == "wordllama" and not model:
        from combray.models.wordllama import wordllama_embedder

        return wordllama_embedder()
    if provider == "onnx" and model:
        from combray.models.onnx import OnnxEmbedder

        return OnnxEmbedder(model)
    from combray.models.embedders import FORMS, MOST_BYTES, PostedEmbedder

    return PostedEmbedder(*_posted("embedder", spec, EMBEDDERS, FORMS, most_bytes=MOST_BYTES))


def token_embedder(spec: str) -> TokenEmbedder | None:
    """Return the late-interaction model of a spec, or None for "none". Raises as `embedder`."""
    model = _onnx("late_interaction", spec, LATE)
    if not model:
        return None
    from combray.models.onnx_tokens import OnnxTokenEmbedder

    return OnnxTokenEmbedder(model)


def reranker(spec: str) -> Reranker | None:
    """Return the reranker of a spec, or None for "none". Raises as `embedder`."""
    provider, _, model = spec.partition(":")
    if provider == "none" and not model:
        return None
    if provider == "onnx" and model:
        from combray.models.onnx import OnnxReranker

        return OnnxReranker(model)
    from combray.models.rerankers import FORMS, PostedReranker

    return PostedReranker(*_posted("reranker", spec, RERANKERS, FORMS))


def judge(spec: str) -> Judge | None:
    """Return the judge of a spec, or None for "none". Raises as `embedder`."""
    model = _onnx("judge", spec, JUDGES)
    if not model:
        return None
    from combray.models.onnx import OnnxJudge

    return OnnxJudge(model)


def detector(spec: str) -> Detector | None:
    """Return the guard's second opinion of a spec, or None for "none". Raises as `embedder`."""
    model = _onnx("guard_model", spec, DETECTORS)
    if not model:
        return None
    from combray.models.onnx import OnnxDetector

    return OnnxDetector(model)


def language_model(spec: str) -> LanguageModel | None:
    """Return the language model of a spec, or None for "none". Raises InvalidInputError, ModelError."""
    if spec in ("none", "none:"):
        return None
    from combray.models.chat import FORMS, PostedLanguageModel

    return PostedLanguageModel(*_posted("language_model", spec, LANGUAGE_MODELS, FORMS, patience=CHAT_PATIENCE))


def _onnx(kind: str, spec: str, offers: Mapping[str, str]) -> str:
    """Return the path or id of an ONNX model; "" for "none"."""
    provider, _, model = spec.partition(":")
    if (provider == "none") is bool(model) or provider not in ("none", "onnx"):
        raise _unknown(kind, spec, offers)
    return model


def _unknown(kind: str, spec: str, offers: Mapping[str, str]) -> InvalidInputError:
    return InvalidInputError(kind, f"{spec!r} is not known.", "Choose one of: " + ", ".join(offers) + ".")


def _posted(
    kind: str, spec: str, offers: Mapping[str, str], forms: Mapping[str, Any], **limits: Any
) -> tuple[Any, Spec, Client]:
    """Return the wire format of a provider, the parsed spec, and a client."""
    from combray.models.services import SERVICES, connect, parse

    provider, _, model = spec.partition(":")
    if provider not in forms:
        raise _unknown(kind, spec, offers)
    read = parse(kind, provider, model, getattr(forms[provider], "model", ""))
    return forms[provider], read, connect(SERVICES[provider], read, **limits)
