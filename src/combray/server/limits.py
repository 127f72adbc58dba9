"""What one server takes on: bytes, seconds, requests at once, requests of a caller."""

from __future__ import annotations

import time
from collections import OrderedDict

from combray.records import dataclass

MOST_CALLERS = 10_000
"""Callers whose rate is remembered."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one server. `batch` bounds the body of requests with many memories.

    `threads`: requests that work at once; the engine is synchronous. `requests`: those that work or wait.
    `rate`: requests a second of one caller, with bursts of ten seconds' worth; 0: no limit.
    """

    body: int = 1_000_000
    batch: int = 10_000_000
    seconds: float = 30.0
    threads: int = 8
    requests: int = 256
    streams: int = 256
    rate: float = 0.0


class Rates:
    """Requests of each caller against a rate: a bucket that fills at the rate and holds ten seconds of it."""

    def __init__(self, rate: float) -> None:
        self._rate = rate
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, caller: str) -> float:
        """Count a request. Return 0, or the seconds after which the caller may ask again."""
        if not self._rate:
            return 0.0
        now, most = time.monotonic(), max(1.0, 10 * self._rate)
        left, at = self._left.pop(caller, (most, now))
        left = min(most, left + (now - at) * self._rate)
        allowed = left >= 1
        self._left[caller] = (left - 1 if allowed else left, now)
        if len(self._left) > MOST_CALLERS:
            self._left.popitem(last=False)
        return 0.0 if allowed else (1 - left) / self._rate
