"""Language models, one file a wire format, chosen by one string."""

from __future__ import annotations

from importlib import import_module

from combray.errors import InvalidInputError
from combray.runtime import LanguageModel

LANGUAGE_MODELS = {
    "none": "rules alone (default)",
    "openai:MODEL@URL": "api.openai.com with OPENAI_API_KEY, or any server with the same chat completions",
    "anthropic:MODEL": "api.anthropic.com; ANTHROPIC_API_KEY",
    "gemini:MODEL": "generativelanguage.googleapis.com; GEMINI_API_KEY",
}
PATIENCE = 60.0
"""Seconds for one answer: nobody waits for it at a prompt, and a long one takes its time."""


def language_model(spec: str) -> LanguageModel | None:
    """The language model a string names; None for "none". Raises InvalidInputError, ModelError."""
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
