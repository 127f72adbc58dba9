"""Which verb is at work: what a stage or a store does is written down under the verb that had it done."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from combray.audit.account import account


@dataclass(slots=True)
class Found:
    """What the verbs at work have found out so far, for their entry.

    The ids that any of them has shown; the preset and the service tier of the first answer, or the tier when a
    write began; `detail`: what the entry of the write is to say besides.
    """

    ids: dict[str, None] = field(default_factory=dict)
    preset: str = ""
    tier: str = ""
    detail: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Doing:
    """The verbs at work, the outermost first, and what they have found out."""

    verbs: tuple[str, ...] = ()
    found: Found = field(default_factory=Found)

    @property
    def outermost(self) -> bool:
        """Whether nobody but the caller asked for the verb."""
        return len(self.verbs) == 1


_doing: ContextVar[Doing | None] = ContextVar("combray_doing", default=None)
_actor: ContextVar[str] = ContextVar("combray_actor", default="")


@contextmanager
def doing(operation: str) -> Iterator[Doing]:
    """Name the verb for what is done inside."""
    outer = _doing.get()
    now = Doing((operation,)) if outer is None else Doing((*outer.verbs, operation), outer.found)
    token = _doing.set(now)
    try:
        yield now
    finally:
        _doing.reset(token)


def current() -> tuple[str, str]:
    """The innermost verb at work, and the outermost if that is another; "" where there is none."""
    now = _doing.get()
    if now is None:
        return "", ""
    return now.verbs[-1], now.verbs[0] if now.verbs[0] != now.verbs[-1] else ""


def found() -> Found:
    """What the verbs at work have found out so far; nothing where there is none."""
    now = _doing.get()
    return Found() if now is None else now.found


def tell(**detail: Any) -> None:
    """Have the entry of the write under way say more. Names of rules and settings only, no word of a memory."""
    now = _doing.get()
    if now is not None:
        now.found.detail.update(detail)


@contextmanager
def acting_as(name: str) -> Iterator[None]:
    """Write down another actor than the account of the process: for servers that act for several people."""
    token = _actor.set(name)
    try:
        yield
    finally:
        _actor.reset(token)


def actor() -> str:
    """Who is at work: the name given by `acting_as`, else the account that runs the process."""
    return _actor.get() or account()
