"""Rerankers behind HTTP: what they all share. How a provider writes questions and answers is in its own file."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from combray.models.http import Client, Posted

MOST_CHARACTERS = 4000
"""Of the query and of each text that are sent, as of a query that is embedded."""


@dataclass(frozen=True)
class Format:
    """How a provider's answer is read, and how many texts it takes at once.

    `body` makes the request of model, query and texts. The answer has a list under `results`; each entry
    names a text by `index` and gives its relevance under `score`. `tokens` are the names under "usage" (or
    "meta" → "tokens") that count them.
    """

    path: str
    body: Callable[[str, str, list[str]], Mapping[str, Any]]
    results: str = "results"
    score: str = "relevance_score"
    most: int = 100
    tokens: tuple[str, ...] = ("total_tokens",)


class PostedReranker(Posted):
    """Implements `runtime.Reranker` over HTTP.

    Answers are read by their index, never by position. An index out of range, and one that comes again, are
    ignored; a text without an index, or whose relevance is no finite number, gets None, as does an empty
    text, which is not sent. An answer without any usable relevance is an error.

    Where any relevance lies outside [0, 1] the model gives logits: then all of that call go through the
    logistic function 1 / (1 + e^-x), which keeps their order.
    """

    def __init__(self, form: Format, model: str, client: Client) -> None:
        self.name = client.name
        self._format = form
        self._model = model
        super().__init__(client)

    def rerank(self, query: str, texts: Sequence[str]) -> list[float | None]:
        """One relevance in [0, 1] a text, in order; None where the model gave none. Raises ModelError.

        All batches together take at most the client's patience.
        """
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
    """1 / (1 + e^-x) without overflow."""
    if value >= 0:
        return 1.0 / (1.0 + math.exp(-value))
    shrunk = math.exp(value)
    return shrunk / (1.0 + shrunk)
