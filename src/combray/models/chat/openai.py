"""OpenAI's chat completions, also spoken by Ollama, vLLM, LM Studio, llama.cpp and SiliconFlow."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from combray.models.chat.posted import Body, Completion, Form
from combray.models.services import Service, Spec

SERVICE = Service("openai", "https://api.openai.com/v1", key_variable="OPENAI_API_KEY")
_THOUGHT = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)
"""Local reasoning models put it before the answer."""


def _body(model: str, system: str, prompt: str, most: int) -> Body:
    told = [{"role": "system", "content": system}] if system else []
    return {
        "model": model,
        "messages": [*told, {"role": "user", "content": prompt}],
        "temperature": 0,
        "max_tokens": most,
    }


def _hosted_body(model: str, system: str, prompt: str, most: int) -> Body:
    body = _body(model, system, prompt, most)
    body["max_completion_tokens"] = body.pop("max_tokens")
    return body


def _read(answer: Any) -> Completion:
    choice = answer["choices"][0]
    message = choice["message"]
    reason = choice.get("finish_reason")
    refusal = "refused by the model" if message.get("refusal") else ""
    usage = answer.get("usage") or {}
    return Completion(
        _THOUGHT.sub("", message.get("content") or "", count=1),
        cut=reason == "length",
        withheld="content_filter" if reason == "content_filter" else refusal,
        tokens=(usage.get("total_tokens"),),
    )


_FORM = Form(
    "/chat/completions",
    _body,
    _read,
    optional={"temperature": "", "max_tokens": "max_completion_tokens"},
)


def form(spec: Spec) -> Form:
    """Return the wire format. OpenAI has renamed `max_tokens`; compatible servers have not."""
    return _FORM if spec.url else replace(_FORM, body=_hosted_body, optional={"temperature": ""})
