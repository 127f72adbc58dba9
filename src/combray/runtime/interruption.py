"""Calls that can be followed and stopped: a caller sees each step of a long call before it begins.

The kernel announces each stage, and long loops announce each batch. Steps within a transaction are announced too:
an exception there rolls it back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Follow = Callable[[str], None]

_FOLLOWED: ContextVar[Follow | None] = ContextVar("followed", default=None)


@contextmanager
def interruptible(follow: Follow) -> Iterator[None]:
    """Call `follow` with the name of each step, in the thread that runs it. If it raises, the call ends there."""
    token = _FOLLOWED.set(follow)
    try:
        yield
    finally:
        _FOLLOWED.reset(token)


def step(name: str) -> None:
    """Announce a step that begins."""
    follow = _FOLLOWED.get()
    if follow is not None:
        follow(name)
