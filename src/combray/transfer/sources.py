"""Conversations of files, folders and archives; the format is detected."""

from __future__ import annotations

import io
import time
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, tzinfo
from pathlib import Path, PurePath
from typing import IO, Any

from combray.errors import InvalidInputError
from combray.guard.redaction import redact
from combray.records import dataclass
from combray.sessions.chats import read_archive, read_chats
from combray.sessions.databases import is_database, read_database
from combray.sessions.session import Session, session_files, session_of
from combray.transfer.parser import Parsed, Problem, parse, problem_of
from combray.transfer.turns import COPIED, Turn, haystack_turns, plain_turn, sessions_turns

_SHOWN = 5
ARCHIVE = b"PK\x03\x04"
"""How a zip file begins."""
MOST_UNPACKED = 100_000_000
"""Bytes of the conversations in an archive that came as bytes."""


@dataclass(frozen=True, slots=True)
class ConversationFile:
    """One conversation of a file. `name`: its id in a published data set, else the file's name.

    `session`: whether it is a session of an agent client or chat. All of these go into one namespace, and turns
    that are stored already are skipped.
    """

    name: str
    turns: tuple[Turn, ...]
    session: bool = False


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file and its conversations; or why it could not be read."""

    name: str
    conversations: tuple[ConversationFile, ...] = ()
    problem: str = ""


def read_sources(path: Path, *, now: float | None = None, zone: tzinfo = UTC) -> Iterator[SourceFile]:
    """Yield the files of a folder or an archive with their conversations, or the one file.

    Raises InvalidInputError and OSError for a single file; those of a folder are reported as problems.
    """
    if path.is_dir():
        yield from _folder(path)
    elif is_database(path):
        sessions = read_database(path)
        if sessions is None:
            raise InvalidInputError(
                path.name, "is an SQLite file without conversations of Cursor or opencode.", "Check the path."
            )
        yield _of_sessions(str(path), sessions)
    elif zipfile.is_zipfile(path):
        yield from _archive(path, path)
    else:
        moment = time.time() if now is None else now
        yield _file(path, path.read_bytes(), lambda: path.stat().st_mtime, moment, zone)


def _folder(path: Path) -> Iterator[SourceFile]:
    """The session files below a folder, or an export that was unpacked."""
    exports = sorted(path.glob("conversations*.json"))
    for each in exports or session_files(path):
        try:
            sessions = _sessions(each, each.read_bytes(), lambda: each.stat().st_mtime)  # noqa: B023 - called here
        except OSError as error:
            yield SourceFile(str(each), problem=f"{error.strerror or error}.")
            continue
        yield _of_sessions(str(each), sessions, "has no messages in a known format.")


def read_bytes(
    name: PurePath, data: bytes, *, now: float, zone: tzinfo = UTC, unpacked: int = MOST_UNPACKED
) -> Iterator[SourceFile]:
    """Yield the conversations of a file that came as bytes, as `read_sources` does. No file is opened.

    `unpacked`: bytes that the conversations of an archive may have. Raises InvalidInputError.
    """
    if data.startswith(ARCHIVE):
        yield from _archive(name, io.BytesIO(data), unpacked)
    else:
        yield _file(name, data, lambda: now, now, zone)


def _file(place: PurePath, data: bytes, written: Callable[[], float], now: float, zone: tzinfo) -> SourceFile:
    """The conversations of one file: sessions, or turns in the formats of `read_conversations`."""
    sessions = _sessions(place, data, written)
    if sessions is None:
        return SourceFile(str(place), tuple(_read_turns(place, data.splitlines(keepends=True), now, zone)))
    return _of_sessions(str(place), sessions)


def _archive(path: PurePath, file: Path | IO[bytes], most: int | None = None) -> Iterator[SourceFile]:
    count = 0
    try:
        for name, sessions in read_archive(file, most):
            count += 1
            yield _of_sessions(f"{path}:{name}", sessions, "has no conversations in a known format.")
    except (zipfile.BadZipFile, RuntimeError) as error:
        raise InvalidInputError(
            path.name, f"cannot be unpacked: {error}.", "Download the export again."
        ) from None
    if not count:
        remedy = "Give the zip that ChatGPT or Claude sent you."
        raise InvalidInputError(path.name, "has no conversations.json.", remedy)


def _sessions(place: PurePath, data: bytes, written: Callable[[], float]) -> list[Session] | None:
    """The sessions of a client's file or of an export; None if it is something else."""
    chats = read_chats(data) if place.suffix == ".json" else None
    if chats is None and (session := session_of(data, place, written)) is not None:
        return [session]
    return chats


def _of_sessions(name: str, sessions: Iterable[Session] | None, unknown: str = "") -> SourceFile:
    """A file with these sessions; `unknown`: what is wrong with it if there are none to read."""
    if sessions is None:
        return SourceFile(name, problem=unknown)
    found = (ConversationFile(each.id, _turns(each), session=True) for each in sessions if each.messages)
    return SourceFile(name, tuple(found))


def _turns(session: Session) -> tuple[Turn, ...]:
    about = {name: value for name, value in (("client", session.client), ("title", session.title)) if value}
    return tuple(
        Turn(
            session.id,
            redact(each.text),
            each.role,
            each.sent,
            metadata={**about, "turn": each.key, **({COPIED: True} if each.copied else {})},
        )
        for each in session.messages
    )


def read_conversations(
    path: str | Path, *, now: float | None = None, zone: tzinfo = UTC
) -> Iterator[ConversationFile]:
    """Yield the conversations of a file; the format is detected.

    Formats: JSON lines or one JSON array of turns (see `plain_turn`); an object, or an array of objects, with
    `conversation` (LoCoMo) or `haystack_sessions` (LongMemEval). `now` (Unix seconds): reference time for
    relative dates; `zone`: that of times without one. Raises InvalidInputError with the line numbers, and
    OSError.
    """
    place = Path(path)
    with place.open("rb") as lines:
        yield from _read_turns(place, lines, time.time() if now is None else now, zone)


def _read_turns(
    place: PurePath, lines: Iterable[bytes], moment: float, zone: tzinfo
) -> Iterator[ConversationFile]:
    parsed = parse(lines)
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
        yield ConversationFile(place.stem, _plain(parsed, moment, zone, place))
    else:
        yield from _published(parsed, moment, zone, place)


def _kind(fields: Mapping[str, Any]) -> str:
    if isinstance(fields.get("conversation"), dict):
        return "sessions"
    return "haystack" if "haystack_sessions" in fields else "turn"


def _plain(parsed: Parsed, now: float, zone: tzinfo, place: PurePath) -> tuple[Turn, ...]:
    turns, problems = [], []
    for entry in parsed.entries:
        try:
            turns.append(plain_turn(entry.fields, now, zone))
        except InvalidInputError as error:
            problems.append(problem_of(error, entry.line, entry.item))
    if problems:
        raise _unreadable(place, problems)
    return tuple(turns)


def _published(parsed: Parsed, now: float, zone: tzinfo, place: PurePath) -> Iterator[ConversationFile]:
    for number, entry in enumerate(parsed.entries, 1):
        fields = entry.fields
        name = fields.get("sample_id") or fields.get("question_id") or f"{place.stem}-{number}"
        try:
            if _kind(fields) == "sessions":
                turns = sessions_turns(fields["conversation"], now, zone)
            else:
                turns = haystack_turns(fields, now, zone)
        except InvalidInputError as error:
            raise _unreadable(place, [problem_of(error, entry.line, f"conversation {number} ({name})")]) from None
        yield ConversationFile(str(name), tuple(turns))


def _unreadable(place: PurePath, problems: list[Problem]) -> InvalidInputError:
    # The message begins with the file's name.
    listed = "; ".join(str(each).removeprefix("the file: ") for each in problems[:_SHOWN])
    more = f"; and {len(problems) - _SHOWN} more" if len(problems) > _SHOWN else ""
    return InvalidInputError(place.name, f"{listed}{more}")
