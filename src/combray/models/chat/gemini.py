"""Google Gemini: POST /models/MODEL:generateContent."""

from __future__ import annotations

from typing import Any

from combray.models.chat.posted import Body, Completion, Form
from combray.models.services import Service, Spec

SERVICE = Service(
    "gemini",
    "https://generativelanguage.googleapis.com/v1beta",
    key_variable="GEMINI_API_KEY",
    key_header="x-goog-api-key",
    key_prefix="",
)


def _body(model: str, system: str, prompt: str, most: int) -> Body:
    del model
    body: Body = {
        "contents": [{"role": "user", "parts": [{"text": prompt}]}],
        "generationConfig": {"temperature": 0, "maxOutputTokens": most},
    }
    return {**body, "systemInstruction": {"parts": [{"text": system}]}} if system else body


def _read(answer: Any) -> Completion:
    tokens = ((answer.get("usageMetadata") or {}).get("totalTokenCount"),)
    blocked = (answer.get("promptFeedback") or {}).get("blockReason")
    if blocked:
        return Completion("", withheld=str(blocked)[:40], tokens=tokens)
    candidate = answer["candidates"][0]
    reason = candidate.get("finishReason")
    parts = (candidate.get("content") or {}).get("parts") or []
    return Completion(
        "".join(part.get("text", "") for part in parts if not part.get("thought")),
        cut=reason == "MAX_TOKENS",
        withheld="" if reason in ("STOP", "MAX_TOKENS", None) else str(reason)[:40],
        tokens=tokens,
    )


def form(spec: Spec) -> Form:
    """Return the wire format."""
    del spec
    return Form("/models/{model}:generateContent", _body, _read)
