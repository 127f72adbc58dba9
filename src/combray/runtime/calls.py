"""What goes with a call through its thread: who follows its steps, how long it waits, who sees what it writes.

The kernel announces each stage, and long loops announce each batch. Steps within a transaction are announced too:
an exception there rolls it back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import TypeVar

T = TypeVar("T")
Follow = Callable[[str], None]
Look = Callable[[object], None]

BRIEF = 0.1
"""Seconds. Longer than a usual write of another process, shorter than a reader notices."""
UNREPORTED = 1.0
"""Seconds that a write waits before it says so."""

_FOLLOWED: ContextVar[Follow | None] = ContextVar("followed", default=None)
_BRIEFLY: ContextVar[bool] = ContextVar("briefly", default=False)
_LOOKING: ContextVar[Look | None] = ContextVar("looking", default=None)


@contextmanager
def within(variable: ContextVar[T], value: T) -> Iterator[None]:
    """Set a variable of the context for the block."""
    token = variable.set(value)
    try:
        yield
    finally:
        variable.reset(token)


def interruptible(follow: Follow) -> AbstractContextManager[None]:
    """Call `follow` with the name of each step, in the thread that runs it. If it raises, the call ends there."""
    return within(_FOLLOWED, follow)


def step(name: str) -> None:
    """Announce a step that begins."""
    follow = _FOLLOWED.get()
    if follow is not None:
        follow(name)


def briefly() -> AbstractContextManager[None]:
    """Let every write of this thread wait `BRIEF` at most. Then it raises StoreBusyError.

    For what a read notes beside its answer, such as what was shown in a session: no read waits for a writer.
    """
    return within(_BRIEFLY, True)


def is_brief() -> bool:
    """Return whether a write of this thread is what a read notes beside its answer."""
    return _BRIEFLY.get()


def patience(busy_timeout: float) -> float:
    """Return the seconds that a write may wait now."""
    return min(busy_timeout, BRIEF) if _BRIEFLY.get() else busy_timeout


def report_waiting(location: str, busy_timeout: float) -> None:
    """Log that a write waits, and announce it as a step, so that the caller can stop it."""
    import logging  # a recall does without

    logging.getLogger(__name__).warning(
        "%s: another process holds the write lock. Waiting up to %g s (COMBRAY_BUSY_TIMEOUT).",
        location,
        busy_timeout,
    )
    step("wait for the write lock")


def looking(look: Look) -> AbstractContextManager[None]:
    """Call `look` with the state of each pipeline that writes, at the end of its transaction, before commit.

    A service that answers a repeated request once keeps its answer in that transaction: neither is committed
    without the other.
    """
    return within(_LOOKING, look)


def about_to_commit(state: object) -> None:
    """Show the state of a write whose stages have run. What this raises rolls the write back."""
    look = _LOOKING.get()
    if look is not None:
        look(state)


def report_failure(stage: str, text: str, failure: Exception) -> None:
    """Log what a stage raised and where. `text` is a hash: no word of a memory is logged."""
    # Imported here: most calls log nothing, and a shell call would wait for it.
    import logging
    import traceback

    *_, (frame, line) = traceback.walk_tb(failure.__traceback__)
    what, place = type(failure).__name__, f"{frame.f_code.co_filename}:{line}"
    logging.getLogger(__name__).error("stage %s failed on text %s: %s at %s", stage, text, what, place)
