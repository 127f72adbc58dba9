"""A wrapper of models and peers that do not count their calls: in-process models, objects of a caller.

It also bounds what such an object may do: an exception of its own becomes a ModelError, an answer of another
shape is refused, and a missing optional attribute has a default.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast

import numpy as np

from combray.errors import CombrayError, ModelError
from combray.models.breaker import NEVER, Breaker, Usage
from combray.runtime import (
    Clock,
    Embedder,
    Entailment,
    Health,
    Judge,
    LanguageModel,
    Peer,
    Reranker,
    TokenEmbedder,
)

M = TypeVar("M", bound=Embedder | TokenEmbedder | Reranker | Judge | LanguageModel | Peer)
_DEFAULTS: Mapping[str, Any] = {"leaves_process": True, "contextual": False, "knows": lambda _language: 1.0}
"""Of attributes that an object may lack. One that does not say where it runs may call a server."""
Check = Callable[[Any, tuple[Any, ...]], Any]
"""Returns the answer of a call in the promised form, given the call's arguments. Raises _ShapeError."""
_SHOWN = 200


def watched(model: M, method: str, clock: Clock) -> M:
    """Return a model whose calls of a method are counted and guarded. Its own counts and health are kept."""
    return counted(model, method, clock)


def counted(model: M, method: str, clock: Clock, *, label: str = "", most: int = NEVER) -> M:
    """Return a model whose calls of a method are counted, and refused after `most` failures in a row.

    By default none is refused: an in-process model is no server to spare. `label`: before the name in messages.
    """
    name = label + str(getattr(model, "name", type(model).__name__))
    return cast(M, _Counted(model, method, Breaker(name, most, clock=clock), name))


class _Counted:
    """Has what the model has, and `health`."""

    def __init__(self, model: Any, method: str, breaker: Breaker, name: str) -> None:
        self._model = model
        self._breaker = breaker
        self._name = name
        if not hasattr(model, "name"):
            self.name = name
        own = getattr(model, "usage", None)
        self.usage = own if isinstance(own, Usage) else breaker.usage
        for each in (method, *(("complete_json",) if hasattr(model, "complete_json") else ())):
            setattr(self, each, self._called(getattr(model, each), _CHECKS.get(method, _as_it_is)))

    def _called(self, call: Callable[..., Any], check: Check) -> Callable[..., Any]:
        @functools.wraps(call)
        def called(*args: Any, **options: Any) -> Any:
            with self._breaker.call():
                try:
                    return check(call(*args, **options), args)
                except CombrayError:
                    raise
                except Exception as error:
                    raise self._error(error) from error

        return called

    def _error(self, error: Exception) -> ModelError:
        said = " ".join(str(error).split())[:_SHOWN]
        shown = said if isinstance(error, _ShapeError) else f"{type(error).__name__}{': ' if said else ''}{said}"
        failed = ModelError(f"{self._name}: {shown}")
        failed.request_only = isinstance(error, _ShapeError)
        return failed

    def __getattr__(self, name: str) -> Any:
        try:
            return getattr(self._model, name)
        except AttributeError:
            if name not in _DEFAULTS:
                raise
            return _DEFAULTS[name]

    def health(self) -> Health:
        try:
            own = self._model.health()
        except Exception:  # noqa: BLE001 - a caller's own object
            own = None
        return own if isinstance(own, Health) else self._breaker.health()


class _ShapeError(Exception):
    """An answer that is not what the protocol promises."""


def _as_it_is(answer: Any, _args: tuple[Any, ...]) -> Any:
    return answer


def _text(answer: Any, _args: tuple[Any, ...]) -> str:
    if not isinstance(answer, str):
        raise _ShapeError(f"the answer is not a text but {type(answer).__name__}")
    if not answer.strip():
        raise _ShapeError("the answer is empty")
    # A lone surrogate could be neither stored nor sent.
    return answer.encode("utf-8", "replace").decode().strip()


def _rows(answer: Any, args: tuple[Any, ...]) -> Any:
    found = np.asarray(answer, dtype=np.float32)
    if found.ndim != 2 or len(found) != len(args[0]):
        raise _ShapeError(f"gave an array of shape {found.shape} for {len(args[0])} texts")
    return found


def _token_rows(answer: Any, args: tuple[Any, ...]) -> list[Any]:
    found = [np.asarray(each, dtype=np.int8) for each in answer]
    if len(found) != len(args[0]) or any(each.ndim != 2 for each in found):
        raise _ShapeError(f"gave {len(found)} arrays for {len(args[0])} texts, or one that is not a row a token")
    return found


def _relevances(answer: Any, args: tuple[Any, ...]) -> list[float | None]:
    found = [None if each is None or not np.isfinite(each) else float(each) for each in answer]
    if len(found) != len(args[1]):
        raise _ShapeError(f"gave {len(found)} relevances for {len(args[1])} texts")
    return found


def _entailments(answer: Any, args: tuple[Any, ...]) -> list[Entailment | None]:
    found = list(answer)
    if len(found) != len(args[0]):
        raise _ShapeError(f"gave {len(found)} answers for {len(args[0])} pairs")
    return found


_CHECKS: Mapping[str, Check] = {
    "complete": _text,
    "embed": _rows,
    "embed_tokens": _token_rows,
    "rerank": _relevances,
    "judge": _entailments,
}
