"""Rerankers over HTTP, and the wire format of each provider."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from combray.models.http import Client, Posted
from combray.models.services import Spec
from combray.records import dataclass

MOST_CHARACTERS = 4000
"""Of the query and of each text, as for a query that is embedded."""


@dataclass(frozen=True)
class RerankerForm:
    """A wire format. `body` takes model, query and texts; `most` is the number of texts in one request.

    The answer has a list under `results`. Each entry has the `index` of a text, and its relevance under
    `score`. `model`: the default. `tokens`: names of the token counts under "usage", or "meta" → "tokens".
    """

    path: str
    body: Callable[[str, str, list[str]], Mapping[str, Any]]
    results: str = "results"
    score: str = "relevance_score"
    model: str = ""
    most: int = 100
    tokens: tuple[str, ...] = ("total_tokens",)


def _ollama(model: str, query: str, texts: list[str]) -> Mapping[str, Any]:
    return {"model": model, "query": query, "documents": texts, "top_n": len(texts)}


def _jina(model: str, query: str, texts: list[str]) -> Mapping[str, Any]:
    return {**_ollama(model, query, texts), "return_documents": False}


def _voyage(model: str, query: str, texts: list[str]) -> Mapping[str, Any]:
    """Return the request. `truncation` truncates long texts instead of rejecting the request."""
    limits = {"top_k": len(texts), "return_documents": False, "truncation": True}
    return {"model": model, "query": query, "documents": texts, **limits}


def _pinecone(model: str, query: str, texts: list[str]) -> Mapping[str, Any]:
    """Return the request. `truncate` END truncates texts to the 512 or 1,024 tokens that a model reads."""
    documents = [{"text": text} for text in texts]
    return {**_jina(model, query, texts), "documents": documents, "parameters": {"truncate": "END"}}


FORMS = {
    # jina-reranker-v3 returns cosines, which can be below 0.
    "jina": RerankerForm("/rerank", _jina, model="jina-reranker-v3"),
    "voyage": RerankerForm("/rerank", _voyage, results="data", model="rerank-2.5-lite"),
    "siliconflow": RerankerForm(
        "/rerank",
        _jina,
        model="BAAI/bge-reranker-v2-m3",
        tokens=("total_tokens", "input_tokens", "output_tokens"),
    ),
    "pinecone": RerankerForm(
        "/rerank", _pinecone, results="data", score="score", model="bge-reranker-v2-m3", tokens=()
    ),
    # Your own server, see docs/reference/models.md.
    "ollama": RerankerForm("/api/rerank", _ollama),
}


class PostedReranker(Posted):
    """Implements `runtime.Reranker` over HTTP.

    Results are matched by index, never by position. Repeated and out-of-range indices are ignored. A text gets
    None if it is empty (it is not sent), has no result, or its relevance is not a finite number. An answer
    without any relevance is an error. All batches of a call share the client's patience.

    If any relevance is outside [0, 1], the model returns logits, and all scores of the call are mapped by the
    logistic function 1 / (1 + e^-x), which keeps their order.
    """

    def __init__(self, form: RerankerForm, spec: Spec, client: Client) -> None:
        self._form = form
        self._model = spec.model
        super().__init__(client)

    def rerank(self, query: str, texts: Sequence[str]) -> list[float | None]:
        found: list[float | None] = [None] * len(texts)
        places = [place for place, text in enumerate(texts) if text.strip()]
        if not query.strip() or not places:
            return found
        until = self._client.until()
        for start in range(0, len(places), self._form.most):
            batch = places[start : start + self._form.most]
            sent = [texts[place][:MOST_CHARACTERS] for place in batch]
            body = self._form.body(self._model, query[:MOST_CHARACTERS], sent)
            read = partial(self._read, count=len(batch))
            for index, relevance in self._client.post(self._form.path, body, until=until, read=read).items():
                found[batch[index]] = relevance
        if all(each is None for each in found):
            raise self._client.error("the answer holds no relevance for any of the texts")
        if all(each is None or 0.0 <= each <= 1.0 for each in found):
            return found
        return [None if each is None else logistic(each) for each in found]

    def _read(self, answer: Any, count: int) -> dict[int, float | None]:
        told = answer if isinstance(answer, dict) else {}
        meta = told.get("meta")
        for counts in (told.get("usage"), meta.get("tokens") if isinstance(meta, dict) else None):
            if isinstance(counts, dict):
                self.usage.tokens(*(counts.get(name) for name in self._form.tokens))
        results = told.get(self._form.results)
        if not isinstance(results, list):
            raise self._client.error(f"the answer has no list {self._form.results!r}")
        found: dict[int, float | None] = {}
        for each in results:
            index = each.get("index") if isinstance(each, dict) else None
            if type(index) is int and 0 <= index < count and index not in found:
                found[index] = _number(each.get(self._form.score))
        return found


def _number(value: Any) -> float | None:
    if type(value) not in (int, float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def logistic(value: float) -> float:
    """Return 1 / (1 + e^-x) without overflow."""
    if value >= 0:
        return 1.0 / (1.0 + math.exp(-value))
    shrunk = math.exp(value)
    return shrunk / (1.0 + shrunk)
