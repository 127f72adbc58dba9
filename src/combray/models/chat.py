"""Language models over HTTP, and the wire format of each provider."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, cast
from urllib.parse import quote

from combray.models.http import Client, Posted, StatusError
from combray.models.services import Spec
from combray.records import dataclass, field

Body = dict[str, Any]
Schema = Mapping[str, Any]
_THOUGHT = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)
"""Local reasoning models put it before the answer."""


@dataclass(frozen=True)
class Completion:
    """A parsed answer. `cut` (truncated) and `withheld` say why it is incomplete; `tokens`: as reported."""

    text: str
    cut: bool = False
    withheld: str = ""
    tokens: tuple[Any, ...] = ()


@dataclass(frozen=True)
class ChatForm:
    """A wire format. `path` may contain {model}; `body` takes spec, system, prompt and the token limit.

    `read` may raise LookupError or TypeError for an answer of another shape. `optional`: fields that some
    models reject, and their replacements ("" for none). `structured` returns the fields that bind the answer to a
    JSON schema.
    """

    path: str
    body: Callable[[Spec, str, str, int], Body]
    read: Callable[[Any], Completion]
    structured: Callable[[Schema], Body]
    optional: Mapping[str, str] = field(default_factory=dict)


def _openai_body(spec: Spec, system: str, prompt: str, most: int) -> Body:
    told = [{"role": "system", "content": system}] if system else []
    return {
        "model": spec.model,
        "messages": [*told, {"role": "user", "content": prompt}],
        "temperature": 0,
        # OpenAI has renamed `max_tokens`; compatible servers have not.
        "max_tokens" if spec.url else "max_completion_tokens": most,
    }


def _openai_read(answer: Any) -> Completion:
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


def _openai_structured(schema: Schema) -> Body:
    bound = {"name": "answer", "strict": True, "schema": schema}
    return {"response_format": {"type": "json_schema", "json_schema": bound}}


def _anthropic_body(spec: Spec, system: str, prompt: str, most: int) -> Body:
    messages = [{"role": "user", "content": prompt}]
    body: Body = {"model": spec.model, "max_tokens": most, "messages": messages, "temperature": 0}
    return {**body, "system": system} if system else body


def _anthropic_structured(schema: Schema) -> Body:
    tool = {"name": "answer", "description": "Give the answer.", "input_schema": schema}
    return {"tools": [tool], "tool_choice": {"type": "tool", "name": "answer"}}


def _anthropic_read(answer: Any) -> Completion:
    reason = answer.get("stop_reason")
    cut = reason in ("max_tokens", "model_context_window_exceeded")
    usage = answer.get("usage") or {}
    texts = [block["text"] for block in answer["content"] if block.get("type") == "text"]
    called = [json.dumps(block["input"]) for block in answer["content"] if block.get("type") == "tool_use"]
    complete = ("end_turn", "stop_sequence", "tool_use", None)
    return Completion(
        "".join(called[:1] or texts),
        cut=cut,
        withheld="" if cut or reason in complete else str(reason)[:40],
        tokens=(usage.get("input_tokens"), usage.get("output_tokens")),
    )


def _gemini_body(spec: Spec, system: str, prompt: str, most: int) -> Body:
    del spec
    body: Body = {
        "contents": [{"role": "user", "parts": [{"text": prompt}]}],
        "generationConfig": {"temperature": 0, "maxOutputTokens": most},
    }
    return {**body, "systemInstruction": {"parts": [{"text": system}]}} if system else body


def _gemini_structured(schema: Schema) -> Body:
    return {"generationConfig": {"responseMimeType": "application/json", "responseJsonSchema": schema}}


def _gemini_read(answer: Any) -> Completion:
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


_NAMED = {"response_format": ("response_format", "json_schema", "schema", "guided", "structured")}
"""What the message of a service that cannot bind an answer names instead of the field."""
FORMS = {
    # Also spoken by Ollama, vLLM, LM Studio, llama.cpp and SiliconFlow.
    "openai": ChatForm(
        "/chat/completions",
        _openai_body,
        _openai_read,
        _openai_structured,
        {"temperature": "", "max_tokens": "max_completion_tokens", "response_format": ""},
    ),
    # Models after Opus 4.6 reject `temperature`.
    "anthropic": ChatForm(
        "/messages",
        _anthropic_body,
        _anthropic_read,
        _anthropic_structured,
        {"temperature": "", "tool_choice": "", "tools": ""},
    ),
    "gemini": ChatForm("/models/{model}:generateContent", _gemini_body, _gemini_read, _gemini_structured),
}


class PostedLanguageModel(Posted):
    """Implements `runtime.LanguageModel` over HTTP, at temperature 0 where the model accepts one.

    If a model rejects an optional field by name, the call is repeated without it, and so are all later calls.
    An empty, truncated or withheld answer is a ModelError.
    """

    def __init__(self, form: ChatForm, spec: Spec, client: Client) -> None:
        self._form = form
        self._spec = spec
        self._path = form.path.format(model=quote(spec.model))
        super().__init__(client)
        self._refused: frozenset[str] = frozenset()

    def complete(self, system: str, prompt: str, *, max_tokens: int = 512) -> str:
        return self._completed(self._form.body(self._spec, system, prompt, max_tokens), max_tokens)

    def complete_json(self, system: str, prompt: str, schema: Schema, *, max_tokens: int = 512) -> str:
        """Return an answer, bound to a JSON schema where the service can do that. Raises ModelError."""
        body = self._form.body(self._spec, system, prompt, max_tokens)
        for name, value in self._form.structured(schema).items():
            body[name] = {**body[name], **value} if name in body else value
        return self._completed(body, max_tokens)

    def _completed(self, body: Body, max_tokens: int) -> str:
        completion = self._ask(body, self._client.until())
        self.usage.tokens(*completion.tokens)
        text = completion.text.strip()
        problem = f"was withheld ({completion.withheld})" if completion.withheld else "" if text else "is empty"
        if completion.cut:
            problem = f"was truncated after {max_tokens} tokens"
        if problem:
            error = self._client.error(f"the answer {problem}")
            error.request_only = True
            raise error
        return text

    def _read(self, answer: Any) -> Completion:
        try:
            return self._form.read(answer)
        except (LookupError, TypeError, AttributeError):
            raise self._client.error("the answer is not of the expected shape") from None

    def _ask(self, body: Body, until: float) -> Completion:
        while True:
            refused = self._refused
            try:
                sent = self._without(body, refused)
                return cast(Completion, self._client.post(self._path, sent, until=until, read=self._read))
            except StatusError as error:
                # The message names the field that it wants instead, or else the field that it rejects.
                named = [
                    name
                    for name, instead in self._form.optional.items()
                    if any(each in error.said for each in _NAMED.get(name, (instead or name,)))
                    and name in body
                    and name not in refused
                ]
                if error.status not in (400, 422) or not named:
                    raise
                self._refused = refused | {named[0]}

    def _without(self, body: Body, refused: frozenset[str]) -> Body:
        kept = {name: value for name, value in body.items() if name not in refused}
        for name in refused & body.keys():
            if self._form.optional[name]:
                kept[self._form.optional[name]] = body[name]
        return kept
