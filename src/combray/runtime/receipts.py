"""What a write did, shown to a caller in the transaction that does it.

A service that must answer a repeated request once keeps what it answers in that transaction: neither can be
committed without the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Look = Callable[[object], None]

_LOOKING: ContextVar[Look | None] = ContextVar("looking", default=None)


@contextmanager
def looking(look: Look) -> Iterator[None]:
    """Call `look` with the state of each pipeline that writes, at the end of its transaction, before commit."""
    token = _LOOKING.set(look)
    try:
        yield
    finally:
        _LOOKING.reset(token)


def about_to_commit(state: object) -> None:
    """Show the state of a write whose stages have run. What this raises rolls the write back."""
    look = _LOOKING.get()
    if look is not None:
        look(state)
