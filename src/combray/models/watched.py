"""A wrapper that counts the calls of models and peers that do not count them: in-process models, user objects."""

from __future__ import annotations

import functools
from typing import Any, TypeVar, cast

from combray.models.breaker import NEVER, Breaker
from combray.runtime import Clock, Embedder, Health, Judge, LanguageModel, Peer, Reranker

M = TypeVar("M", bound=Embedder | Reranker | Judge | LanguageModel | Peer)


def watched(model: M, method: str, clock: Clock) -> M:
    """Return a model whose calls of a method are counted; a model that reports its health as it is."""
    return model if hasattr(model, "health") else counted(model, method, clock)


def counted(model: M, method: str, clock: Clock, *, label: str = "", most: int = NEVER) -> M:
    """Return a model whose calls of a method are counted, and refused after `most` failures in a row.

    By default none is refused: an in-process model is no server to spare. `label`: before the name in messages.
    """
    return cast(M, _Counted(model, method, Breaker(label + model.name, most, clock=clock)))


class _Counted:
    """Has what the model has, and `health`."""

    def __init__(self, model: Any, method: str, breaker: Breaker) -> None:
        self._model = model
        self._breaker = breaker
        self.usage = breaker.usage
        call = getattr(model, method)

        @functools.wraps(call)
        def called(*args: Any, **options: Any) -> Any:
            with breaker.call():
                return call(*args, **options)

        setattr(self, method, called)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def health(self) -> Health:
        return self._breaker.health()
