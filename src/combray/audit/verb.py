"""The verb in progress, under which the actions of stages and stores are logged."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from combray.audit.account import account


@dataclass(slots=True)
class Found:
    """Collected data for the entry of the verbs in progress.

    `ids`: memories returned by any of them. `preset` and `tier`: of the first answer, or the tier at the start of
    a write. `detail`: additional data for the entry of a write.
    """

    ids: dict[str, None] = field(default_factory=dict)
    preset: str = ""
    tier: str = ""
    detail: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Doing:
    """The verbs in progress, outermost first, and their collected data."""

    verbs: tuple[str, ...] = ()
    found: Found = field(default_factory=Found)

    @property
    def outermost(self) -> bool:
        """Whether the verb was called by the user and not by another verb."""
        return len(self.verbs) == 1


_doing: ContextVar[Doing | None] = ContextVar("combray_doing", default=None)
_actor: ContextVar[str] = ContextVar("combray_actor", default="")


@contextmanager
def doing(operation: str) -> Iterator[Doing]:
    """Set the verb in progress for the block."""
    outer = _doing.get()
    now = Doing((operation,)) if outer is None else Doing((*outer.verbs, operation), outer.found)
    token = _doing.set(now)
    try:
        yield now
    finally:
        _doing.reset(token)


def current() -> tuple[str, str]:
    """Return the innermost verb, and the outermost if it differs; "" if there is none."""
    now = _doing.get()
    if now is None:
        return "", ""
    return now.verbs[-1], now.verbs[0] if now.verbs[0] != now.verbs[-1] else ""


def found() -> Found:
    """Return the collected data; empty if no verb is in progress."""
    now = _doing.get()
    return Found() if now is None else now.found


def tell(**detail: Any) -> None:
    """Add data to the entry of the current write: names of rules and settings only, never text of a memory."""
    now = _doing.get()
    if now is not None:
        now.found.detail.update(detail)


@contextmanager
def acting_as(name: str) -> Iterator[None]:
    """Log another actor than the process account, for servers that act for several users."""
    token = _actor.set(name)
    try:
        yield
    finally:
        _actor.reset(token)


def actor() -> str:
    """Return the actor: the name set by `acting_as`, else the process account."""
    return _actor.get() or account()
