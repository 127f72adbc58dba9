"""The decorator that records a verb of the engine in the audit: one entry per call.

A read is recorded before it returns. A write is recorded with each of its transactions, before the commit
(`audit/log.py`); `reads=False` records nothing else. A verb that calls another verb has one entry for both.
An error is recorded by its type only, because messages quote the caller's text.
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
