"""Models that do not count for themselves: those that run in this process, and a caller's own objects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from combray.errors import ModelError
from combray.models.breaker import Breaker
from combray.models.usage import Usage
from combray.runtime import Clock, Embedder, Health, LanguageModel, Reranker, Vectors


class _Counting:
    """Counts calls and failures. It never refuses one: there is no server that wants to be left alone."""

    def __init__(self, name: str, clock: Clock) -> None:
        self.name = name
        # Observed only: more failures in a row than there can be keep it closed.
        self._breaker = Breaker(most=1 << 62, clock=clock)
        self.usage = Usage()

    def health(self) -> Health:
        """How it has fared in this process."""
        return self._breaker.health(self.usage)

    @contextmanager
    def _call(self) -> Iterator[None]:
        try:
            yield
        except ModelError as error:
            self.usage.call(failed=True)
            self._breaker.failed(str(error).removeprefix(f"{self.name}: "))
            raise
        self.usage.call(failed=False)
        self._breaker.passed()


class WatchedEmbedder(_Counting):
    """Implements `runtime.Embedder` by another one."""

    def __init__(self, model: Embedder, clock: Clock) -> None:
        super().__init__(model.name, clock)
        self._model = model
        self.dimensions = model.dimensions
        self.leaves_process = model.leaves_process
        self.contextual = model.contextual

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """As the other one."""
        with self._call():
            return self._model.embed(texts, query=query)

    def knows(self, language: str) -> float:
        """As the other one."""
        return self._model.knows(language)


class WatchedReranker(_Counting):
    """Implements `runtime.Reranker` by another one."""

    def __init__(self, model: Reranker, clock: Clock) -> None:
        super().__init__(model.name, clock)
        self._model = model

    def rerank(self, query: str, texts: Sequence[str]) -> list[float | None]:
        """As the other one."""
        with self._call():
            return self._model.rerank(query, texts)


class WatchedLanguageModel(_Counting):
    """Implements `runtime.LanguageModel` by another one."""

    def __init__(self, model: LanguageModel, clock: Clock) -> None:
        super().__init__(model.name, clock)
        self._model = model

    def complete(self, system: str, prompt: str, *, max_tokens: int = 512) -> str:
        """As the other one."""
        with self._call():
            return self._model.complete(system, prompt, max_tokens=max_tokens)


def watched_embedder(model: Embedder, clock: Clock) -> Embedder:
    """The model itself where it tells its health, else behind a count."""
    return model if hasattr(model, "health") else WatchedEmbedder(model, clock)


def watched_reranker(model: Reranker, clock: Clock) -> Reranker:
    """The model itself where it tells its health, else behind a count."""
    return model if hasattr(model, "health") else WatchedReranker(model, clock)


def watched_language_model(model: LanguageModel, clock: Clock) -> LanguageModel:
    """The model itself where it tells its health, else behind a count."""
    return model if hasattr(model, "health") else WatchedLanguageModel(model, clock)
