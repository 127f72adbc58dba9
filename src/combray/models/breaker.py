"""A circuit breaker: counts the calls to a model or peer, and pauses them after repeated failures."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from combray.errors import ModelError
from combray.runtime import Health

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
            reason = str(error).removeprefix(self._prefix)
            if rejects(error):
                self.refused(reason)
            else:
                self.failed(reason)
            raise
        except BaseException:
            self.given_up()
            raise
        self.usage.call(failed=False)
        self.passed()

    def refusal(self) -> str:
        """Why a call may not be made now. After "", `passed`, `failed`, `refused` or `given_up` must follow."""
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

    def refused(self, reason: str) -> None:
        """Record that the service rejected a request. It works, so calls go on, but there is no answer."""
        with self._lock:
            self._failures = 0
            self._trying = False
            self._reason = reason
            self._times.append(self._clock())

    def failed(self, reason: str) -> None:
        """Record that there was no answer, or an unusable one."""
        with self._lock:
            now = self._clock()
            self._failures += 1
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
