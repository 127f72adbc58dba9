"""Records of a framework as memories: under its keys, in namespaces of its labels, as a history of messages.

A record is an episode: what was given is kept as it is, beside others with the same text, and never merged. Needs
no framework.
"""

from __future__ import annotations

import re
import threading
import uuid
import warnings
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any
from urllib.parse import unquote

from combray.engine import Engine
from combray.types import LIVE_STATUSES, STATUSES, Memory, MemoryItem

_PAGE = 1_000
_STEP = timedelta(microseconds=1)
_UNSAFE = re.compile(r"[%/\s]")


def record_id(*key: str) -> str:
    """Return the memory id of a key."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, "\0".join(key)))


def put(engine: Engine, records: Mapping[str, Mapping[str, Any]]) -> None:
    """Store records by id, or replace their fields. A replaced record keeps its history.

    Warns if the guard quarantines one: it is not returned until it is released. Raises InvalidInputError.
    """
    there = stored_ids(engine, list(records))
    hidden = [each for each in there if engine.update(each, **records[each]).trust == "quarantined"]
    now = datetime.fromtimestamp(engine.runtime.clock(), UTC)
    new: list[MemoryItem] = [
        # Microseconds keep the records of one call in the order in which they were given.
        {"kind": "episode", "recorded_at": now + place * _STEP, **records[each], "id": each}  # type: ignore[typeddict-item]
        for place, each in enumerate(each for each in records if each not in there)
    ]
    results = engine.remember_many(new, diff=False)
    refused = [item for item, done in zip(new, results, strict=True) if done.action == "refused"]
    if refused:
        # Forgotten and quarantined records are not listed, and their ids are taken. A put replaces them.
        taken = {"id": {"in": [each["id"] for each in refused]}, "status": {"in": list(STATUSES)}}
        erase_where(engine, taken)
        results += engine.remember_many(refused, diff=False, atomic=True)
    hidden += [done.id for done in results if done.action == "quarantined"]
    if hidden:
        text = f"{len(hidden)} records are not returned until they are released: {', '.join(hidden[:3])}."
        warnings.warn(f"{text} `engine.quarantine` lists them with the reason.", stacklevel=3)


def stored_ids(engine: Engine, ids: Sequence[str], statuses: Sequence[str] = LIVE_STATUSES) -> set[str]:
    """Return which ids are stored with one of the statuses, however many are asked for."""
    found: set[str] = set()
    for start in range(0, len(ids), _PAGE):
        where = {"id": {"in": list(ids[start : start + _PAGE])}, "status": {"in": list(statuses)}}
        found.update(each.id for each in engine.list(where, limit=_PAGE))
    return found


def erase_where(engine: Engine, where: Mapping[str, Any]) -> None:
    """Erase what matches, however much it is."""
    engine.erase(where=where, confirm=engine.erase(where=where, dry_run=True).count)


def pages(
    engine: Engine,
    where: Mapping[str, Any],
    namespaces: Sequence[str] | None = None,
    at_once: int = _PAGE,
    order: str = "recorded_at",
) -> Iterator[Memory]:
    """Yield the live memories that match, in the order in which they were first put. A call reads `at_once`."""
    after = ""
    live = {"and": [{"status": {"in": list(LIVE_STATUSES)}}, where]}
    while True:
        page = engine.list(live, order=order, limit=min(at_once, _PAGE), after=after, namespaces=namespaces)
        yield from page
        if page.cursor is None:
            return
        after = page.cursor


def label(text: str) -> str:
    """Return a label as a part of a namespace's name: no slash, no white space, only printable characters."""
    return "".join(_escaped(each) for each in text)


def _escaped(character: str) -> str:
    if character.isprintable() and not _UNSAFE.match(character):
        return character
    return "".join(f"%{each:02X}" for each in character.encode("utf-8", "surrogatepass"))


def named(name: str) -> tuple[str, ...]:
    """Return the labels that a namespace's name was made of, without the root's."""
    return tuple(unquote(each, errors="surrogatepass") for each in name.split("/")[1:])


class History:
    """The messages of one session in an engine's namespace. Each is an episode: repeated texts stay apart."""

    def __init__(self, engine: Engine, framework: str, session: str) -> None:
        self._engine, self._framework, self._session = engine, framework, session
        self._where = {"session": session, f"metadata.{framework}.message": {"exists": True}}
        self._lock = threading.Lock()
        self._last = datetime.min.replace(tzinfo=UTC)

    def add(self, messages: Sequence[tuple[Any, str, str]]) -> None:
        """Append messages, each with its searched text and its role."""
        if not messages:
            return
        with self._lock:
            records = {}
            for message, text, role in messages:
                now = datetime.fromtimestamp(self._engine.runtime.clock(), UTC)
                # The order of messages is the order of their times, so no two are equal.
                self._last = max(now, self._last + _STEP)
                records[str(uuid.uuid4())] = {
                    "content": text.strip() or f"({role or 'message'})",
                    "author": role or None,
                    "session": self._session,
                    "source": self._framework,
                    "recorded_at": self._last,
                    "trust": "owner" if role == "user" else "agent",
                    "metadata": {self._framework: {"message": message}},
                }
            put(self._engine, records)

    def last(self, limit: int | None = None) -> list[Any]:
        """Return the last messages, or all, oldest first."""
        return [each.metadata[self._framework]["message"] for each in reversed(self._newest(limit))]

    def pop(self) -> Any | None:
        """Erase the last message and return it; None if there is none."""
        with self._lock:
            found = self._newest(1)
            if not found:
                return None
            self._engine.erase(found[0].id)
            return found[0].metadata[self._framework]["message"]

    def clear(self) -> None:
        """Erase the session's messages."""
        with self._lock:
            found = [each.id for each in self._newest(None)]
            if found:
                self._engine.erase(found)

    def _newest(self, limit: int | None) -> list[Memory]:
        found = pages(self._engine, self._where, at_once=limit or _PAGE, order="-recorded_at")
        return list(islice(found, limit))
