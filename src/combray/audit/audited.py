"""The decorator that records a verb of the engine in the audit: one entry a verb.

A read is recorded after it has its answer and before the caller gets it. A write is recorded with each of its
transactions, before the commit (`audit/log.py`); `reads=False` records nothing more. A verb that calls another
verb has one entry for both. An error is always recorded, by its type only: messages quote the caller's text.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, Protocol, TypeVar, cast

from combray.audit.entry import MOST_IDS
from combray.audit.verb import Doing, doing
from combray.errors import InvalidInputError, NotFoundError, ReadOnlyStoreError
from combray.runtime import Audit, Runtime
from combray.types import Answer


class Audited(Protocol):
    """A namespace of an open store."""

    @property
    def runtime(self) -> Runtime:
        """Its store, models and audit."""

    @property
    def namespace(self) -> str:
        """Its name."""


F = TypeVar("F", bound=Callable[..., Any])
_REFUSALS = (InvalidInputError, NotFoundError, ReadOnlyStoreError)


def audited(operation: str, *, reads: bool = True, asks: bool = False) -> Callable[[F], F]:
    """Record a verb under that name. The first argument of one that `asks` is a question.

    The verb is a function of a namespace (`runtime` and `namespace`), or a method of what holds one as `_at`.
    """

    def decorate(verb: F) -> F:
        @functools.wraps(verb)
        def called(owner: Any, /, *args: Any, **options: Any) -> Any:
            at: Audited = getattr(owner, "_at", owner)
            log = at.runtime.audit
            if log is None:
                return verb(owner, *args, **options)
            with doing(operation) as now:
                if not reads and now.outermost:
                    now.found.tier = _tier(at)
                try:
                    result = verb(owner, *args, **options)
                except BaseException as error:
                    if now.outermost:
                        _failed(log, operation, at.namespace, error, now)
                    raise
                if reads:
                    query = next(iter((*args, *options.values())), None) if asks else None
                    _read(log, at.namespace, result, now, query)
            return result

        return cast(F, called)

    return decorate


def _failed(log: Audit, operation: str, namespace: str, error: BaseException, now: Doing) -> None:
    result = "refused" if isinstance(error, _REFUSALS) else "failed"
    log.record(operation, namespace, result=result, tier=now.found.tier, detail={"error": type(error).__name__})


def record_read(at: Audited, operation: str, ids: Iterable[str] = (), count: int | None = None) -> None:
    """Record, if there is an audit, that memories were handed out by other means than a verb."""
    if at.runtime.audit is not None:
        shown = tuple(ids)
        found = {"found": len(shown) if count is None else count}
        at.runtime.audit.record(operation, at.namespace, ids=shown, counts=found)


def _tier(at: Audited) -> str:
    watch = at.runtime.service_tier
    return "" if watch is None else str(watch.now().name)


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
    """Ids of the memories that an answer shows: hits, passages, memories, or what holds a memory."""
    for each in result if isinstance(result, (Answer, list)) else (result,):
        shown = getattr(each, "memory", each)
        found = getattr(shown, "id", None) or getattr(shown, "memory_id", None)
        if isinstance(found, str) and found:
            yield found
