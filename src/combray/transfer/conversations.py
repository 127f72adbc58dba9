"""Ingest conversations: every turn becomes an episode with its author, time, session and position."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, cast

from combray.errors import InvalidInputError
from combray.runtime import Memories, Rememberer
from combray.transfer.parser import Parsed, parse
from combray.transfer.report import Problem, problem_of
from combray.transfer.turns import Turn, haystack_turns, plain_turn, sessions_turns
from combray.types import Memory, MemoryItem, Remembered

_BATCH = 256
_SHOWN = 5

Save = Callable[[Memories, Memory], tuple[Remembered, ...]]


@dataclass(frozen=True, slots=True)
class ConversationFile:
    """One conversation of a file. `name`: its id in a published data set, else the file's name."""

    name: str
    turns: tuple[Turn, ...]


@dataclass(frozen=True, slots=True)
class IngestReport:
    """Counts of an ingest. `memories` exceeds `turns` if long turns became several episodes."""

    conversations: int
    turns: int
    memories: int
    seconds: float
    namespaces: tuple[str, ...]
    saved: int = 0
    """Facts that auto-memory stored or replaced."""


class Namespaced(Rememberer, Protocol):
    """An engine that can turn to another namespace of its store."""

    def within(self, namespace: str) -> Rememberer:
        """The same store and models, another namespace."""
        ...


def read_conversations(path: str | Path, *, now: float | None = None) -> Iterator[ConversationFile]:
    """Yield the conversations of a file; the format is detected.

    Formats: JSON lines or one JSON array of turns (see `plain_turn`); an object, or an array of objects, with
    `conversation` (LoCoMo) or `haystack_sessions` (LongMemEval). `now` (Unix seconds): reference time for
    relative dates. Raises InvalidInputError with the line numbers, and OSError.
    """
    place = Path(path)
    with place.open("rb") as lines:
        parsed = parse(lines)
    moment = time.time() if now is None else now
    kinds = {_kind(entry.fields) for entry in parsed.entries if not entry.broken}
    problems = list(parsed.problems)
    if parsed.shape not in ("items", "empty"):
        problems.insert(0, Problem(0, "contains memories, not turns.", "Use `combray import`."))
    elif len(kinds) > 1:
        problems.insert(0, Problem(0, "mixes turns with whole conversations.", "Split the file."))
    elif not kinds and not problems:
        problems.append(Problem(0, "contains no turns.", 'Write one {"author", "text"} per line.'))
    if problems:
        raise _unreadable(place, problems)
    if kinds == {"turn"}:
        yield ConversationFile(place.stem, _plain(parsed, moment, place))
    else:
        yield from _published(parsed, moment, place)


def _kind(fields: Mapping[str, Any]) -> str:
    if isinstance(fields.get("conversation"), dict):
        return "sessions"
    return "haystack" if "haystack_sessions" in fields else "turn"


def _plain(parsed: Parsed, now: float, place: Path) -> tuple[Turn, ...]:
    turns, problems = [], []
    for entry in parsed.entries:
        try:
            turns.append(plain_turn(entry.fields, now))
        except InvalidInputError as error:
            problems.append(problem_of(error, entry.line, entry.item))
    if problems:
        raise _unreadable(place, problems)
    return tuple(turns)


def _published(parsed: Parsed, now: float, place: Path) -> Iterator[ConversationFile]:
    for number, entry in enumerate(parsed.entries, 1):
        fields = entry.fields
        name = fields.get("sample_id") or fields.get("question_id") or f"{place.stem}-{number}"
        try:
            if _kind(fields) == "sessions":
                turns = sessions_turns(fields["conversation"], now)
            else:
                turns = haystack_turns(fields, now)
        except InvalidInputError as error:
            raise _unreadable(place, [problem_of(error, entry.line, f"conversation {number} ({name})")]) from None
        yield ConversationFile(str(name), tuple(turns))


def _unreadable(place: Path, problems: list[Problem]) -> InvalidInputError:
    listed = "; ".join(map(str, problems[:_SHOWN]))
    more = f"; and {len(problems) - _SHOWN} more" if len(problems) > _SHOWN else ""
    return InvalidInputError(place.name, f"{listed}{more}")


def ingest(
    engine: Namespaced,
    path: str | Path,
    *,
    save: Save | None = None,
    progress: Callable[[int], None] | None = None,
) -> IngestReport:
    """Store every turn of a file as an episode, without deduplication.

    `save` is called with every turn that was stored, for an engine as target: `conversation.auto_memory` stores
    the names, preferences and decisions in it as facts.

    One conversation goes into the engine's namespace; several go into one namespace each, named after them. The
    whole file is read before the first turn is stored. `progress` is called with the number of memories stored.
    Raises InvalidInputError, StoreError, OSError.
    """
    start = time.perf_counter()
    conversations = list(read_conversations(path, now=engine.runtime.clock()))
    done = saved = 0
    namespaces = []
    for each in conversations:
        target = engine if len(conversations) == 1 else engine.within(each.name)
        namespaces.append(target.namespace)
        stored = _store(target, each.turns, done, progress)
        done += len(stored)
        if save is not None:
            saved += _save(cast(Memories, target), stored, save)
    return IngestReport(
        conversations=len(conversations),
        turns=sum(len(each.turns) for each in conversations),
        memories=done,
        seconds=time.perf_counter() - start,
        namespaces=tuple(namespaces),
        saved=saved,
    )


def _save(target: Memories, stored: Iterable[Remembered], save: Save) -> int:
    """Return how many facts of the turns were stored."""
    keys = target.reader.keys_of([each.id for each in stored])
    turns = target.reader.memories(list(keys.values()))
    return sum(result.action != "skipped" for turn in turns for result in save(target, turn))


def _store(
    engine: Rememberer, turns: Iterable[Turn], before: int, progress: Callable[[int], None] | None
) -> list[Remembered]:
    items = [cast(MemoryItem, item) for turn in turns for item in turn.items()]

    def report(count: int) -> None:
        if progress is not None:
            progress(before + count)

    return engine.remember_many(items, diff=False, batch=_BATCH, progress=report)
