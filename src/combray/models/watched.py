"""Wrappers that count the calls to models and peers that do not count them: in-process models, user objects."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from combray.models.breaker import MOST_FAILURES, NEVER, Breaker
from combray.runtime import Clock, Embedder, Health, LanguageModel, Peer, PeerHit, Reranker, Vectors

M = TypeVar("M")


def watched(model: M, wrapper: Callable[[M, Clock], M], clock: Clock) -> M:
    """Wrap a model, unless it reports its health."""
    return model if hasattr(model, "health") else wrapper(model, clock)


class _Watched:
    """Counts calls and failures. It refuses none by default: an in-process model is no server to spare."""

    def __init__(self, name: str, clock: Clock, *, label: str = "", most: int = NEVER) -> None:
        self.name = name
        self._breaker = Breaker(label or name, most, clock=clock)
        self.usage = self._breaker.usage

    def health(self) -> Health:
        return self._breaker.health()


class WatchedEmbedder(_Watched):
    """Implements `runtime.Embedder`."""

    def __init__(self, model: Embedder, clock: Clock) -> None:
        super().__init__(model.name, clock)
        self._model = model
        self.dimensions = model.dimensions
        self.leaves_process = model.leaves_process
        self.contextual = model.contextual

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        with self._breaker.call():
            return self._model.embed(texts, query=query)

    def knows(self, language: str) -> float:
        return self._model.knows(language)


class WatchedReranker(_Watched):
    """Implements `runtime.Reranker`."""

    def __init__(self, model: Reranker, clock: Clock) -> None:
        super().__init__(model.name, clock)
        self._model = model

    def rerank(self, query: str, texts: Sequence[str]) -> list[float | None]:
        with self._breaker.call():
            return self._model.rerank(query, texts)


class WatchedLanguageModel(_Watched):
    """Implements `runtime.LanguageModel`."""

    def __init__(self, model: LanguageModel, clock: Clock) -> None:
        super().__init__(model.name, clock)
        self._model = model

    def complete(self, system: str, prompt: str, *, max_tokens: int = 512) -> str:
        with self._breaker.call():
            return self._model.complete(system, prompt, max_tokens=max_tokens)


class WatchedPeer(_Watched):
    """Implements `runtime.Peer`. Refuses calls after repeated failures (`Breaker`)."""

    def __init__(self, peer: Peer, clock: Clock) -> None:
        super().__init__(peer.name, clock, label=f"peer {peer.name}", most=MOST_FAILURES)
        self._peer = peer
        self.timeout = peer.timeout

    def search(self, query: str, limit: int, namespace: str) -> list[PeerHit]:
        with self._breaker.call():
            return self._peer.search(query, limit, namespace)
