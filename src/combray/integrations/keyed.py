"""Records under keys of a framework's own: an id that follows from the key, exact replacement, lists in pages.

A record is an episode: what was given is kept as it is, beside others with the same text, and never merged.
"""

from __future__ import annotations

import uuid
import warnings
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from combray.engine import Engine
from combray.types import LIVE_STATUSES, STATUSES, Memory, MemoryItem

_PAGE = 1_000
_STEP = timedelta(microseconds=1)


def record_id(*key: str) -> str:
    """Return the memory id of a key."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, "\0".join(key)))


def put(engine: Engine, records: Mapping[str, Mapping[str, Any]]) -> None:
    """Store records by id, or replace their fields. A replaced record keeps its history.

    Warns if the guard quarantines one: it is not returned until it is released. Raises InvalidInputError.
    """
    known = {each.id for each in pages(engine, {"id": {"in": list(records)}})} if records else set()
    hidden = [each for each in known if engine.update(each, **records[each]).trust == "quarantined"]
    now = datetime.fromtimestamp(engine.runtime.clock(), UTC)
    new: list[MemoryItem] = [
        # Microseconds keep the records of one call in the order in which they were given.
        {"kind": "episode", "recorded_at": now + place * _STEP, **records[each], "id": each}  # type: ignore[typeddict-item]
        for place, each in enumerate(each for each in records if each not in known)
    ]
    results = engine.remember_many(new, diff=False)
    refused = [item for item, done in zip(new, results, strict=True) if done.action == "refused"]
    if refused:
        # Forgotten and quarantined records are not listed, and their ids are taken. A put replaces them.
        there = {"id": {"in": [each["id"] for each in refused]}, "status": {"in": list(STATUSES)}}
        engine.erase(where=there, confirm=engine.erase(where=there, dry_run=True).count)
        results += engine.remember_many(refused, diff=False, atomic=True)
    hidden += [done.id for done in results if done.action == "quarantined"]
    if hidden:
        text = f"{len(hidden)} records are not returned until they are released: {', '.join(hidden[:3])}."
        warnings.warn(f"{text} `engine.quarantine` lists them with the reason.", stacklevel=3)


def pages(
    engine: Engine,
    where: Mapping[str, Any],
    namespaces: Sequence[str] | None = None,
    at_once: int = _PAGE,
) -> Iterator[Memory]:
    """Yield the live memories that match, in the order in which they were first put. A call reads `at_once`."""
    after = ""
    live = {"and": [{"status": {"in": list(LIVE_STATUSES)}}, where]}
    while True:
        page = engine.list(
            live, order="recorded_at", limit=min(at_once, _PAGE), after=after, namespaces=namespaces
        )
        yield from page
        if page.cursor is None:
            return
        after = page.cursor
