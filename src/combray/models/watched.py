"""Wrappers that count the calls to models and peers that do not count them: in-process models, user objects."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from combray.models.breaker import MOST_FAILURES, NEVER, Breaker
from combray.runtime import (
    Clock,
    Embedder,
    Entailment,
    Health,
    Judge,
    LanguageModel,
    Peer,
    PeerHit,
    Reranker,
    Vectors,
)

M = TypeVar("M", bound=Embedder | Reranker | Judge | LanguageModel | Peer)


def watched(model: M, wrapper: Callable[[M, Clock], M], clock: Clock) -> M:
    """Wrap a model, unless it reports its health."""
    return model if hasattr(model, "health") else wrapper(model, clock)


class _Watched(Generic[M]):
    """Counts calls and failures. It refuses none by default: an in-process model is no server to spare."""

    def __init__(self, model: M, clock: Clock, *, label: str = "", most: int = NEVER) -> None:
        self._model = model
        self.name = model.name
        self._breaker = Breaker(label + self.name, most, clock=clock)
        self.usage = self._breaker.usage

    def health(self) -> Health:
        return self._breaker.health()


class WatchedEmbedder(_Watched[Embedder]):
    """Implements `runtime.Embedder`."""

    def __init__(self, model: Embedder, clock: Clock) -> None:
        super().__init__(model, clock)
        self.dimensions = model.dimensions
        self.leaves_process = model.leaves_process
        self.contextual = model.contextual

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        with self._breaker.call():
            return self._model.embed(texts, query=query)

    def knows(self, language: str) -> float:
        return self._model.knows(language)


class WatchedReranker(_Watched[Reranker]):
    """Implements `runtime.Reranker`."""

    def rerank(self, query: str, texts: Sequence[str]) -> list[float | None]:
        with self._breaker.call():
            return self._model.rerank(query, texts)


class WatchedJudge(_Watched[Judge]):
    """Implements `runtime.Judge`."""

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Entailment | None]:
        with self._breaker.call():
            return self._model.judge(pairs)


class WatchedLanguageModel(_Watched[LanguageModel]):
    """Implements `runtime.LanguageModel`."""

    def complete(self, system: str, prompt: str, *, max_tokens: int = 512) -> str:
        with self._breaker.call():
            return self._model.complete(system, prompt, max_tokens=max_tokens)


class WatchedPeer(_Watched[Peer]):
    """Implements `runtime.Peer`. Refuses calls after repeated failures (`Breaker`)."""

    def __init__(self, peer: Peer, clock: Clock) -> None:
        super().__init__(peer, clock, label="peer ", most=MOST_FAILURES)
        self.timeout = peer.timeout

    def search(self, query: str, limit: int, namespace: str) -> list[PeerHit]:
        with self._breaker.call():
            return self._model.search(query, limit, namespace)
