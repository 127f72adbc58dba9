"""Language models over HTTP. The wire format of a provider is in its own file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from combray.models.http import Client, Posted, StatusError

Body = dict[str, Any]


@dataclass(frozen=True)
class Completion:
    """A parsed answer. `cut` (truncated) and `withheld` say why it is incomplete; `tokens`: as reported."""

    text: str
    cut: bool = False
    withheld: str = ""
    tokens: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Form:
    """A wire format. `path` may contain {model}; `body` takes model, system, prompt and the token limit.

    `read` may raise LookupError or TypeError for an answer of another shape. `optional`: fields that some
    models reject, and their replacements ("" for none).
    """

    path: str
    body: Callable[[str, str, str, int], Body]
    read: Callable[[Any], Completion]
    optional: Mapping[str, str] = field(default_factory=dict)


class PostedLanguageModel(Posted):
    """Implements `runtime.LanguageModel` over HTTP, at temperature 0 where the model accepts one.

    If a model rejects an optional field by name, the call is repeated without it, and so are all later calls.
    An empty, truncated or withheld answer is a ModelError.
    """

    def __init__(self, form: Form, model: str, client: Client) -> None:
        self.name = client.name
        self._form = form
        self._model = model
        self._path = form.path.format(model=quote(model))
        super().__init__(client)
        self._refused: frozenset[str] = frozenset()

    def complete(self, system: str, prompt: str, *, max_tokens: int = 512) -> str:
        completion = self._ask(self._form.body(self._model, system, prompt, max_tokens), self._client.until())
        self.usage.tokens(*completion.tokens)
        if completion.withheld:
            raise self._client.error(f"the answer was withheld ({completion.withheld})")
        if completion.cut:
            raise self._client.error(f"the answer was truncated after {max_tokens} tokens")
        text = completion.text.strip()
        if not text:
            raise self._client.error("the answer is empty")
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
                completion: Completion = self._client.post(
                    self._path, self._without(body, refused), until=until, read=self._read
                )
                return completion
            except StatusError as error:
                # The message names the field that it wants instead, or else the field that it rejects.
                named = [
                    name
                    for name, instead in self._form.optional.items()
                    if (instead or name) in error.said and name not in refused
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
