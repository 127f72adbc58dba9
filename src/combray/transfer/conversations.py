"""Ingest conversations: every turn becomes an episode with its author, time, session and position."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, Protocol, cast

from combray.records import dataclass
from combray.remember.validate import scope_tag
from combray.runtime import Memories, Order, Reader, Rememberer
from combray.sessions.messages import SPEAKERS
from combray.sessions.session import turn_id
from combray.transfer.sources import read_sources
from combray.transfer.turns import COPIED, Turn
from combray.types import Memory, MemoryItem, Remembered
from combray.where.parsing import parse

_BATCH = 256
_MOST_AT_ONCE = 1000
"""Turns of one moment that are compared."""

Save = Callable[[Memories, Sequence[Memory]], Sequence[Remembered]]


@dataclass(slots=True)
class IngestReport:
    """Counts of an ingest. `memories` exceeds `turns` if long turns became several episodes.

    A dry run counts the same without storing anything; its `memories` are those that would be stored.
    """

    files: int = 0
    conversations: int = 0
    turns: int = 0
    known: int = 0
    """Turns of sessions that were stored already."""
    memories: int = 0
    seconds: float = 0.0
    namespaces: tuple[str, ...] = ()
    saved: int = 0
    """Facts that auto-memory stored or replaced."""
    first: datetime | None = None
    last: datetime | None = None
    """Times of the earliest and the latest turn."""
    refused: tuple[str, ...] = ()
    """Why turns were not stored."""
    unread: tuple[tuple[str, str], ...] = ()
    """Files of a folder or an archive that could not be read, and why."""


class Namespaced(Rememberer, Protocol):
    """An engine that can turn to another namespace of its store."""

    def within(self, namespace: str) -> Rememberer:
        """The same store and models, another namespace."""
        ...


def ingest(
    engine: Namespaced,
    path: str | Path,
    *,
    save: Save | None = None,
    progress: Callable[[int], None] | None = None,
    dry_run: bool = False,
    scope: str | None = None,
) -> IngestReport:
    """Store every turn of a file, or of the session files in a folder, as an episode, without deduplication.

    Beside the formats of `read_conversations` these are the sessions of Claude Code, Codex, Cursor, Gemini CLI
    and OpenClaw, and the exports of ChatGPT and Claude (`combray.sessions`). Their turns are
    stored once: a second call, after an interruption or when a session has grown, stores what is new.

    `save` is called with the turns that were stored, for an engine as target: `extract_from` of
    `conversation.auto_memory` puts them into the queue of extraction, or stores facts by rules. `dry_run`: count
    and store nothing.
    `scope`: the scope of every turn, and of the facts made of it, such as "user:ann" (docs/decisions/0018).

    One conversation goes into the engine's namespace; several of a published data set go into one namespace each,
    named after them. A file is read as a whole before its first turn is stored. `progress` is called with the
    number of memories stored. Raises InvalidInputError, StoreError, OSError.
    """
    start = time.perf_counter()
    tags = () if scope is None else (scope_tag(scope),)
    report = IngestReport()
    namespaces: dict[str, None] = {}
    for found in read_sources(Path(path), now=engine.runtime.clock(), zone=engine.runtime.zone):
        report.files += 1
        if found.problem:
            report.unread += ((found.name, found.problem),)
        for each in found.conversations:
            alone = each.session or len(found.conversations) == 1
            target = engine if alone else engine.within(each.name)
            namespaces[target.namespace] = None
            turns = list(each.turns)
            items = list(new_items(target, turns)) if each.session else _items(turns)
            for item in items:
                item["tags"] = tags
            _count(report, turns, items)
            if not dry_run:
                before = report.memories - len(items)
                shown = None if progress is None else partial(_shown, progress, before)
                stored, refused, saved = store_turns(target, items, save, shown)
                report.memories = before + len(stored)
                report.refused += tuple(refused)
                report.saved += saved
    report.namespaces = tuple(namespaces)
    report.seconds = time.perf_counter() - start
    return report


def _items(turns: Iterable[Turn]) -> list[dict[str, Any]]:
    return [item for turn in turns for item in turn.items()]


def new_items(target: Rememberer, turns: list[Turn]) -> Iterator[dict[str, Any]]:
    """Yield what is not stored yet, of any status: a turn that was forgotten does not come back.

    What an assistant said has the trust "agent": it is no evidence for itself.
    """
    items = _items(turns)
    first: dict[str, str] = {}
    for item in items:
        about = item["metadata"]
        part = about.get("part", 1)
        key = about["turn"] if part == 1 else f"{about['turn']}#{part}"
        item["id"] = turn_id(about.get("client", ""), item["session"], key)
        item["trust"] = SPEAKERS.get(item["author"], "untrusted")
        if part > 1:
            first[item["id"]] = turn_id(about.get("client", ""), item["session"], about["turn"])
    reader = target.runtime.store.reader(target.namespace)
    known = reader.keys_of([item["id"] for item in items])
    # A hook stores a long turn as one memory.
    begun = reader.memories([known[each] for each in dict.fromkeys(first.values()) if each in known])
    whole = {memory.id for memory in begun if "part" not in memory.metadata}
    for item in items:
        if item["id"] not in known and first.get(item["id"]) not in whole and not _is_copy(item, reader):
            yield item


def _is_copy(item: Mapping[str, Any], reader: Reader) -> bool:
    """Return whether a turn that a branch copied is stored under another id.

    A branch of a branch names the row of its parent. The words and the moment are those of the turn itself.
    """
    if not item["metadata"].get(COPIED) or item["occurred_at"] is None:
        return False
    moment = item["occurred_at"].isoformat()
    condition = parse({"kind": "episode", "occurred_at": {"gte": moment, "lte": moment}}, 0.0)
    same = reader.memories(reader.page(condition, Order(), _MOST_AT_ONCE))
    return any(each.content == item["content"] and each.author == item["author"] for each in same)


def _count(report: IngestReport, turns: list[Turn], items: list[dict[str, Any]]) -> None:
    """Add a conversation to the counts."""
    new = sum(item["metadata"].get("part", 1) == 1 for item in items)
    report.conversations += 1
    report.turns += len(turns)
    report.known += len(turns) - new
    report.memories += len(items)
    times = [turn.occurred_at for turn in turns if turn.occurred_at is not None]
    report.first = min([*times, *([report.first] if report.first else [])], default=None)
    report.last = max([*times, *([report.last] if report.last else [])], default=None)


def store_turns(
    target: Rememberer,
    items: list[dict[str, Any]],
    save: Save | None,
    progress: Callable[[int], None] | None = None,
) -> tuple[list[Remembered], list[str], int]:
    """Store episodes. Return what was stored, why others were refused, and how many facts `save` stored."""
    results = target.remember_many(cast(list[MemoryItem], items), diff=False, batch=_BATCH, progress=progress)
    stored = [each for each in results if each.action != "refused"]
    refused = [each.reason for each in results if each.action == "refused"]
    if save is None:
        return stored, refused, 0
    engine = cast(Memories, target)
    keys = engine.reader.keys_of([each.id for each in stored])
    facts = save(engine, engine.reader.memories(list(keys.values())))
    return stored, refused, sum(each.action != "skipped" for each in facts)


def _shown(progress: Callable[[int], None], before: int, count: int) -> None:
    progress(before + count)
