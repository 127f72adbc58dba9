"""Anthropic: POST /v1/messages. Models after Opus 4.6 reject `temperature`."""

from __future__ import annotations

from typing import Any

from combray.models.chat.posted import Body, Completion, Form
from combray.models.services import Service, Spec

SERVICE = Service(
    "anthropic",
    "https://api.anthropic.com/v1",
    key_variable="ANTHROPIC_API_KEY",
    key_header="x-api-key",
    key_prefix="",
    headers={"anthropic-version": "2023-06-01"},
)
_ENDED = ("end_turn", "stop_sequence", None)
_CUT = ("max_tokens", "model_context_window_exceeded")


def _body(model: str, system: str, prompt: str, most: int) -> Body:
    body: Body = {
        "model": model,
        "max_tokens": most,
        "messages": [{"role": "user", "content": prompt}],
        "temperature": 0,
    }
    return {**body, "system": system} if system else body


def _read(answer: Any) -> Completion:
    reason = answer.get("stop_reason")
    usage = answer.get("usage") or {}
    return Completion(
        "".join(block["text"] for block in answer["content"] if block.get("type") == "text"),
        cut=reason in _CUT,
        withheld="" if reason in (*_ENDED, *_CUT) else str(reason)[:40],
        tokens=(usage.get("input_tokens"), usage.get("output_tokens")),
    )


def form(spec: Spec) -> Form:
    """Return the wire format."""
    del spec
    return Form("/messages", _body, _read, optional={"temperature": ""})
