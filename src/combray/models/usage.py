"""Usage counts of a model."""

from __future__ import annotations

import threading
from typing import Any


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
