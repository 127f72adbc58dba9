"""The verb being called, and the decorator that records it in the audit: one entry per call.

A read is recorded before it returns. A write is recorded with each of its transactions, before the commit
(`audit/log.py`); `reads=False` records nothing else. A verb that calls another verb has one entry for both.
An error is recorded by its type only, because messages quote the caller's text.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from itertools import islice
from typing import Any, Protocol, TypeVar, cast

from combray.audit.entry import MOST_IDS
from combray.errors import InvalidInputError, NotFoundError, ReadOnlyStoreError
from combray.records import dataclass, field
from combray.runtime import Audit, Runtime
from combray.runtime.calls import within
from combray.types import Answer


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
    with within(_doing, now):
        yield now


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


def acting_as(name: str) -> AbstractContextManager[None]:
    """Record this actor instead of the process's account, for servers that act for several people."""
    return within(_actor, name)


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


class Audited(Protocol):
    """A namespace of an open store."""

    @property
    def runtime(self) -> Runtime: ...
    @property
    def namespace(self) -> str: ...


F = TypeVar("F", bound=Callable[..., Any])
_REFUSALS = (InvalidInputError, NotFoundError, ReadOnlyStoreError)


def audited(operation: str, *, reads: bool = True, asks: bool = False) -> Callable[[F], F]:
    """Record calls of a verb under that name. With `asks`, its first argument is the query.

    The verb is a function of a namespace (`runtime` and `namespace`), or a method of an object with one as `_at`.
    """

    def decorate(verb: F) -> F:
        @functools.wraps(verb)
        def called(owner: Any, /, *args: Any, **options: Any) -> Any:
            at: Audited = getattr(owner, "_at", owner)
            log = at.runtime.audit
            if log is None:
                return verb(owner, *args, **options)
            with doing(operation) as now:
                if not reads and now.outermost and (monitor := at.runtime.service_tier) is not None:
                    now.found.tier = monitor.now().name
                try:
                    result = verb(owner, *args, **options)
                except BaseException as error:
                    if now.outermost:
                        result = "refused" if isinstance(error, _REFUSALS) else "failed"
                        shown = {"error": type(error).__name__}
                        log.record(operation, at.namespace, result=result, tier=now.found.tier, detail=shown)
                    raise
                if reads:
                    query = next(iter((*args, *options.values())), None) if asks else None
                    _read(log, at.namespace, result, now, query)
            return result

        return cast(F, called)

    return decorate


def record_read(at: Audited, operation: str, ids: Iterable[str] = (), count: int | None = None) -> None:
    """Record that memories were returned by other means than a verb. Does nothing without an audit."""
    if at.runtime.audit is not None:
        shown = tuple(ids)
        found = {"found": len(shown) if count is None else count}
        at.runtime.audit.record(operation, at.namespace, ids=shown, counts=found)


def _read(log: Audit, namespace: str, result: Any, now: Doing, query: Any) -> None:
    found = now.found
    found.ids.update(dict.fromkeys(islice(_ids(result), MOST_IDS)))
    if isinstance(result, Answer) and not found.preset:
        found.preset = result.preset
        found.tier = result.details.get("tier", {}).get("tier", "")
    if not now.outermost:
        return
    log.record(
        now.verbs[0],
        namespace,
        ids=found.ids,
        counts={"found": len(result) if isinstance(result, (Answer, list)) else len(found.ids)},
        preset=found.preset,
        tier=found.tier,
        query=query if isinstance(query, str) else None,
        detail=({**found.detail, **(getattr(result, "for_audit", None) or {})}) or None,
    )


def _ids(result: Any) -> Iterator[str]:
    """Yield the ids of the memories in a result: hits, passages, memories, or objects with a memory."""
    for each in result if isinstance(result, (Answer, list)) else (result,):
        shown = getattr(each, "memory", each)
        found = getattr(shown, "id", None) or getattr(shown, "memory_id", None)
        if isinstance(found, str) and found:
            yield found
