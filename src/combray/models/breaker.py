"""A circuit breaker: counts the calls to a model or peer, and pauses them after repeated failures.

`watched` wraps models and peers that do not count their calls: in-process models, objects of a caller. It also
bounds what such an object may do: an exception of its own becomes a ModelError, an answer of another shape is
refused, and a missing optional attribute has a default.
"""

from __future__ import annotations

import functools
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar, cast

import numpy as np

from combray.errors import CombrayError, ModelError
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

MOST_FAILURES = 5
"""Consecutive failures after which calls are refused. Source: Engram's public code, "disabled after 5"."""
COOL_DOWN = 60.0
"""Seconds until one trial call is allowed. Source: Engram, docs/reference/service-tiers.md."""
WINDOW = 300.0
"""Seconds for which a failure counts. Source: Mnemon design, "3 failures in 300 s"."""
NEVER = 1 << 62
"""More consecutive failures than there can be: such a breaker only counts."""


class Usage:
    """Calls, failures and tokens of one model in this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._calls = 0
        self._failures = 0
        self._tokens = 0

    def call(self, *, failed: bool) -> None:
        """Count one call, whatever its number of retries."""
        with self._lock:
            self._calls += 1
            self._failures += failed

    def tokens(self, *counts: Any) -> None:
        """Add the counts that the service reports. Values other than positive integers are ignored."""
        with self._lock:
            self._tokens += sum(each for each in counts if type(each) is int and each > 0)

    def snapshot(self) -> dict[str, int]:
        """Return `calls`, `failures` and `tokens`."""
        with self._lock:
            return {"calls": self._calls, "failures": self._failures, "tokens": self._tokens}


class Breaker:
    """Counts consecutive failures of one service. After `most` it refuses calls until the cool-down is over.

    Then one trial call is allowed, however many threads ask. If it succeeds the breaker closes, otherwise the
    next cool-down begins. Safe for threads.

    Args:
        name: the prefix of error messages, such as "openai:MODEL".
        most: consecutive failures.
        cool_down: seconds.
        clock: seconds from any origin.
    """

    def __init__(
        self,
        name: str = "",
        most: int = MOST_FAILURES,
        cool_down: float = COOL_DOWN,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.usage = Usage()
        self._prefix = f"{name}: "
        self._most = most
        self._cool_down = cool_down
        self._clock = clock
        self._lock = threading.Lock()
        self._failures = 0
        self._retry_at = 0.0
        self._trying = False
        self._reason = ""
        self._times: deque[float] = deque(maxlen=MOST_FAILURES)

    @contextmanager
    def call(self, rejects: Callable[[ModelError], bool] = lambda _: False) -> Iterator[None]:
        """Run the block as one counted call. Raises ModelError, without running it, while calls are refused.

        `rejects` identifies errors by which a working service rejects one request: they open no breaker.
        """
        refusal = self.refusal()
        if refusal:
            raise ModelError(self._prefix + refusal)
        try:
            yield
        except ModelError as error:
            self.usage.call(failed=True)
            self.failed(str(error).removeprefix(self._prefix), works=rejects(error))
            raise
        except BaseException:
            self.given_up()
            raise
        self.usage.call(failed=False)
        self.passed()

    def refusal(self) -> str:
        """Why a call may not be made now. After "", `passed`, `failed` or `given_up` must follow."""
        with self._lock:
            if self._failures < self._most:
                return ""
            left = self._retry_at - self._clock()
            if left <= 0 and not self._trying:
                self._trying = True
                return ""
            return (
                f"not called, because {self._failures} calls in a row failed, the last with: {self._reason}; "
                f"tried again in {max(0, round(left))} s"
            )

    def passed(self) -> None:
        """Record an answer."""
        with self._lock:
            self._failures = 0
            self._trying = False
            self._times.clear()

    def failed(self, reason: str, *, works: bool = False) -> None:
        """Record a call without a usable answer. `works`: the service rejected this request only."""
        with self._lock:
            now = self._clock()
            self._failures = 0 if works else self._failures + 1
            self._trying = False
            self._reason = reason
            self._times.append(now)
            self._retry_at = now + self._cool_down

    def given_up(self) -> None:
        """Record that we aborted the call. This says nothing about the service."""
        with self._lock:
            self._trying = False

    def health(self) -> Health:
        """Return the breaker's state, recent failures and usage counts."""
        counts: dict[str, Any] = self.usage.snapshot()
        with self._lock:
            if not self._times:
                return Health(**counts)
            now = self._clock()
            state, left = "closed", 0.0
            if self._failures >= self._most:
                left = max(0.0, self._retry_at - now)
                state = "open" if left and not self._trying else "half-open"
            recent = sum(each > now - WINDOW for each in self._times)
            return Health(state, recent, self._reason, left, **counts)


# -- models and peers that do not count their calls ------------------------------------------------

M = TypeVar("M", bound=Embedder | TokenEmbedder | Reranker | Judge | LanguageModel | Peer)
_DEFAULTS: Mapping[str, Any] = {"leaves_process": True, "contextual": False, "knows": lambda _language: 1.0}
"""Of attributes that an object may lack. One that does not say where it runs may call a server."""
Check = Callable[[Any, tuple[Any, ...]], Any]
"""Returns the answer of a call in the promised form, given the call's arguments. Raises _ShapeError."""
_SHOWN = 200


def watched(model: M, method: str, clock: Clock, *, label: str = "", most: int = NEVER) -> M:
    """Return a model whose calls of a method are counted and guarded, and refused after `most` failures in a row.

    By default none is refused: an in-process model is no server to spare. Its own counts and health are kept.
    `label`: before the name in messages.
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
