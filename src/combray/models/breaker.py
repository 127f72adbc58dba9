"""A service that keeps failing is left alone for a while."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable

from combray.models.usage import Usage
from combray.runtime import Health

MOST_FAILURES = 5
"""Failures in a row after which calls are refused."""
COOL_DOWN = 60.0
"""Seconds until one call is let through again."""
WINDOW = 300.0
"""Seconds for which a failure speaks against a service (notes 5.2: "3 failures in 300 s")."""


class Breaker:
    """Counts failures in a row; after `most` refuses calls until the cool-down is over.

    Then one call is let through, however many threads ask: if it works the service is back, if not the next
    cool-down begins.
    """

    def __init__(
        self,
        most: int = MOST_FAILURES,
        cool_down: float = COOL_DOWN,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._most = most
        self._cool_down = cool_down
        self._clock = clock
        self._lock = threading.Lock()
        self._failures = 0
        self._retry_at = 0.0
        self._trying = False
        self._reason = ""
        self._times: deque[float] = deque(maxlen=MOST_FAILURES)

    def refusal(self) -> str:
        """Why a call may not be made now; "" if it may, and then `passed`, `failed` or `given_up` must follow."""
        with self._lock:
            if self._failures < self._most:
                return ""
            left = self._retry_at - self._clock()
            if left <= 0 and not self._trying:
                self._trying = True
                return ""
            return (
                f"not asked, since {self._failures} calls in a row failed, the last with: {self._reason}; "
                f"tried again in {max(0, round(left))} s"
            )

    def passed(self) -> None:
        """The service answered."""
        with self._lock:
            self._failures = 0
            self._trying = False
            self._times.clear()

    def refused(self, reason: str) -> None:
        """The service works, and blames this request: no reason to stop asking, but no answer either."""
        with self._lock:
            self._failures = 0
            self._trying = False
            self._reason = reason
            self._times.append(self._clock())

    def failed(self, reason: str) -> None:
        """The service did not answer, or with nonsense."""
        with self._lock:
            now = self._clock()
            self._failures += 1
            self._trying = False
            self._reason = reason
            self._times.append(now)
            self._retry_at = now + self._cool_down

    def given_up(self) -> None:
        """The call was broken off by us and says nothing about the service."""
        with self._lock:
            self._trying = False

    def health(self, usage: Usage) -> Health:
        """How the service has fared, with what was counted of it."""
        counts = usage.snapshot()
        calls, failures, tokens = counts["calls"], counts["failures"], counts["tokens"]
        with self._lock:
            if not self._times:
                return Health(calls=calls, failures=failures, tokens=tokens)
            now = self._clock()
            state, left = "closed", 0.0
            if self._failures >= self._most:
                left = max(0.0, self._retry_at - now)
                state = "open" if left and not self._trying else "half-open"
            lately = sum(each > now - WINDOW for each in self._times)
            return Health(state, lately, self._reason, left, calls, failures, tokens)
