"""The decorator that has a verb of the engine written down in the audit: one line a verb.

A verb that only reads gets an entry when it has its answer, before the caller has it. What a verb writes is
written down with each transaction, before its commit (`audit/log.py`); `reads=False` leaves it at that. What a
verb asks of other verbs is told with it, not on its own. An error is always written down, by its kind only:
messages quote what was given.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, TypeVar, cast

from combray.audit.entry import MOST_IDS
from combray.audit.verb import Doing, doing
from combray.errors import InvalidInputError, NotFoundError, ReadOnlyStoreError
from combray.runtime import Audit
from combray.types import Answer

F = TypeVar("F", bound=Callable[..., Any])
_REFUSALS = (InvalidInputError, NotFoundError, ReadOnlyStoreError)


def audited(operation: str, *, reads: bool = True, asks: bool = False) -> Callable[[F], F]:
    """Write a verb of the engine down under that name. The first argument of one that `asks` is a question."""

    def decorate(verb: F) -> F:
        @functools.wraps(verb)
        def called(engine: Any, /, *args: Any, **options: Any) -> Any:
            log: Audit | None = engine.runtime.audit
            if log is None:
                return verb(engine, *args, **options)
            with doing(operation) as now:
                if not reads and now.outermost:
                    now.found.tier = _tier(engine)
                try:
                    result = verb(engine, *args, **options)
                except BaseException as error:
                    if now.outermost:
                        _failed(log, operation, engine.namespace, error, now)
                    raise
                if reads:
                    query = next(iter((*args, *options.values())), None) if asks else None
                    _read(log, engine.namespace, result, now, query)
            return result

        return cast(F, called)

    return decorate


def _failed(log: Audit, operation: str, namespace: str, error: BaseException, now: Doing) -> None:
    result = "refused" if isinstance(error, _REFUSALS) else "failed"
    log.record(operation, namespace, result=result, tier=now.found.tier, detail={"error": type(error).__name__})


def _tier(engine: Any) -> str:
    watch = engine.runtime.service_tier
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
        detail=getattr(result, "for_audit", None),
    )


def _ids(result: Any) -> Iterator[str]:
    """Ids of the memories that an answer shows: hits, passages, memories, or what holds a memory."""
    for each in result if isinstance(result, (Answer, list)) else (result,):
        shown = getattr(each, "memory", each)
        found = getattr(shown, "id", None) or getattr(shown, "memory_id", None)
        if isinstance(found, str) and found:
            yield found
