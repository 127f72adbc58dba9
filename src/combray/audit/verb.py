"""The verb being called: entries of the audit are recorded under the verb that the caller called."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from combray.records import dataclass, field


@dataclass(slots=True)
class FoundByVerb:
    """What the verbs being called have found so far, for their entry.

    `ids`: memories shown. `preset` and `tier`: those of the first answer, or the tier when a write began.
    `detail`: further fields of the entry of the write.
    """

    ids: dict[str, None] = field(default_factory=dict)
    preset: str = ""
    tier: str = ""
    detail: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Doing:
    """The verbs being called, outermost first, and what they have found."""

    verbs: tuple[str, ...] = ()
    found: FoundByVerb = field(default_factory=FoundByVerb)

    @property
    def outermost(self) -> bool:
        """Whether the verb was called directly, not by another verb."""
        return len(self.verbs) == 1


_doing: ContextVar[Doing | None] = ContextVar("combray_doing", default=None)
_actor: ContextVar[str] = ContextVar("combray_actor", default="")


@contextmanager
def doing(operation: str) -> Iterator[Doing]:
    """Record everything done in the block under this verb."""
    outer = _doing.get()
    now = Doing((operation,)) if outer is None else Doing((*outer.verbs, operation), outer.found)
    token = _doing.set(now)
    try:
        yield now
    finally:
        _doing.reset(token)


def current() -> tuple[str, str]:
    """Return the innermost verb, and the outermost if it is another one; "" where there is none."""
    now = _doing.get()
    if now is None:
        return "", ""
    return now.verbs[-1], now.verbs[0] if now.verbs[0] != now.verbs[-1] else ""


def found() -> FoundByVerb:
    """Return what the verbs being called have found so far."""
    now = _doing.get()
    return FoundByVerb() if now is None else now.found


def tell(**detail: Any) -> None:
    """Add fields to the entry of the current verb: names of rules and settings, never text of a memory."""
    found().detail.update(detail)


@contextmanager
def acting_as(name: str) -> Iterator[None]:
    """Record this actor instead of the process's account, for servers that act for several people."""
    token = _actor.set(name)
    try:
        yield
    finally:
        _actor.reset(token)


def actor() -> str:
    """Return the name given by `acting_as`, or the account that runs the process."""
    return _actor.get() or _account()


@functools.cache
def _account() -> str:
    """The account's name from the operating system, not the environment; its number if it has no name."""
    if sys.platform == "win32":
        return os.getlogin()
    import pwd

    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return f"uid {os.geteuid()}"
