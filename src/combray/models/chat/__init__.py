"""Language models: one file per wire format, selected by a spec string."""

from __future__ import annotations

from importlib import import_module

from combray.errors import InvalidInputError
from combray.runtime import LanguageModel

LANGUAGE_MODELS = {
    "none": "rules only (default)",
    "openai:MODEL@URL": "api.openai.com with OPENAI_API_KEY, or any server with the same chat completions",
    "anthropic:MODEL": "api.anthropic.com; ANTHROPIC_API_KEY",
    "gemini:MODEL": "generativelanguage.googleapis.com; GEMINI_API_KEY",
}
PATIENCE = 60.0
"""Seconds for one answer. No interactive caller waits for it, and a long answer takes time."""


def language_model(spec: str) -> LanguageModel | None:
    """Return the language model of a spec, or None for "none". Raises InvalidInputError, ModelError."""
    provider, _, rest = spec.partition(":")
    if provider == "none" and not rest:
        return None
    if provider in ("openai", "anthropic", "gemini"):
        from combray.models.chat.posted import PostedLanguageModel
        from combray.models.services import connect, parse

        module = import_module(f"combray.models.chat.{provider}")
        read = parse("language_model", module.SERVICE, rest)
        return PostedLanguageModel(
            module.form(read), read.model, connect(module.SERVICE, read, patience=PATIENCE)
        )
    raise InvalidInputError(
        "language_model", f"{spec!r} is not known.", "Choose one of: " + ", ".join(LANGUAGE_MODELS) + "."
    )
