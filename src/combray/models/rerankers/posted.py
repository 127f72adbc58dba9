"""Rerankers over HTTP. The wire format of a provider is in its own file."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from combray.models.http import Client, Posted

MOST_CHARACTERS = 4000
"""Of the query and of each text, as for a query that is embedded."""


@dataclass(frozen=True)
class Format:
    """A wire format. `body` takes model, query and texts; `most` is the number of texts in one request.

    The answer has a list under `results`. Each entry has the `index` of a text, and its relevance under
    `score`. `tokens`: names of the token counts under "usage", or under "meta" → "tokens".
    """

    path: str
    body: Callable[[str, str, list[str]], Mapping[str, Any]]
    results: str = "results"
    score: str = "relevance_score"
    most: int = 100
    tokens: tuple[str, ...] = ("total_tokens",)


class PostedReranker(Posted):
    """Implements `runtime.Reranker` over HTTP.

    Results are matched by index, never by position. Repeated and out-of-range indices are ignored. A text gets
    None if it is empty (it is not sent), has no result, or its relevance is not a finite number. An answer
    without any relevance is an error. All batches of a call share the client's patience.

    If any relevance is outside [0, 1], the model returns logits, and all scores of the call are mapped by the
    logistic function 1 / (1 + e^-x), which keeps their order.
    """

    def __init__(self, form: Format, model: str, client: Client) -> None:
        self.name = client.name
        self._format = form
        self._model = model
        super().__init__(client)

    def rerank(self, query: str, texts: Sequence[str]) -> list[float | None]:
        found: list[float | None] = [None] * len(texts)
        places = [place for place, text in enumerate(texts) if text.strip()]
        if not query.strip() or not places:
            return found
        until = self._client.until()
        for start in range(0, len(places), self._format.most):
            batch = places[start : start + self._format.most]
            sent = [texts[place][:MOST_CHARACTERS] for place in batch]
            body = self._format.body(self._model, query[:MOST_CHARACTERS], sent)
            read = partial(self._read, count=len(batch))
            for index, relevance in self._client.post(self._format.path, body, until=until, read=read).items():
                found[batch[index]] = relevance
        if all(each is None for each in found):
            raise self._client.error("the answer holds no relevance for any of the texts")
        return _within_unit(found)

    def _read(self, answer: Any, count: int) -> dict[int, float | None]:
        self._count(answer)
        results = answer.get(self._format.results) if isinstance(answer, dict) else None
        if not isinstance(results, list):
            raise self._client.error(f"the answer has no list {self._format.results!r}")
        found: dict[int, float | None] = {}
        for each in results:
            index = each.get("index") if isinstance(each, dict) else None
            if type(index) is int and 0 <= index < count and index not in found:
                found[index] = _number(each.get(self._format.score))
        return found

    def _count(self, answer: Any) -> None:
        if not isinstance(answer, dict):
            return
        meta = answer.get("meta")
        for counts in (answer.get("usage"), meta.get("tokens") if isinstance(meta, dict) else None):
            if isinstance(counts, dict):
                self.usage.tokens(*(counts.get(name) for name in self._format.tokens))


def _number(value: Any) -> float | None:
    if type(value) not in (int, float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _within_unit(found: list[float | None]) -> list[float | None]:
    if all(each is None or 0.0 <= each <= 1.0 for each in found):
        return found
    return [None if each is None else logistic(each) for each in found]


def logistic(value: float) -> float:
    """Return 1 / (1 + e^-x) without overflow."""
    if value >= 0:
        return 1.0 / (1.0 + math.exp(-value))
    shrunk = math.exp(value)
    return shrunk / (1.0 + shrunk)
