"""Waits for a write lock that another process holds: how long they may last, and how a caller learns of them.

A write waits for the setting `busy_timeout`. What a read notes beside its answer, such as what was shown in a
session, waits `BRIEF` at most: no read may wait for a writer elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from combray.runtime.interruption import step

BRIEF = 0.1
"""Seconds. Longer than a usual write of another process, shorter than a reader notices."""
UNREPORTED = 1.0
"""Seconds that a write waits before it says so."""

_BRIEFLY: ContextVar[bool] = ContextVar("briefly", default=False)


@contextmanager
def briefly() -> Iterator[None]:
    """Let every write of this thread wait `BRIEF` at most. Then it raises StoreBusyError."""
    token = _BRIEFLY.set(True)
    try:
        yield
    finally:
        _BRIEFLY.reset(token)


def patience(busy_timeout: float) -> float:
    """Return the seconds that a write may wait now."""
    return min(busy_timeout, BRIEF) if _BRIEFLY.get() else busy_timeout


def report(location: str, busy_timeout: float) -> None:
    """Log that a write waits, and announce it as a step, so that the caller can stop it."""
    import logging  # a recall does without

    logging.getLogger(__name__).warning(
        "%s: another process holds the write lock. Waiting up to %g s (COMBRAY_BUSY_TIMEOUT).",
        location,
        busy_timeout,
    )
    step("wait for the write lock")
