"""Import a file that came as bytes, such as one dropped on a page. Its name is shown and stored, never opened.

Notes (Markdown or plain text) become episodes of at most 1,600 characters, with the file's name as session and
the heading above as context. The turns of transcripts become episodes, as `ingest` stores them. Exports and items
go through `import_from`. What is stored already is skipped, so a file can be imported again after it has grown.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import PurePath, PurePosixPath
from typing import Literal

from combray.errors import InvalidInputError
from combray.guard.redaction import redact
from combray.records import dataclass, field, replace
from combray.sessions.session import entries
from combray.transfer.conversations import Save, new_items, store_turns
from combray.transfer.imports import ImportTarget, import_from
from combray.transfer.parser import parse
from combray.transfer.sources import ARCHIVE, read_bytes
from combray.transfer.turns import Turn, pieces
from combray.values import MAX_LABEL, as_moment

NOTES = (".md", ".markdown", ".txt")
LONGEST_NAME = MAX_LABEL
"""Characters of a file's name, which is the session of its texts."""
LONGEST_NOTE = 1600
"""Maximum characters of one episode of notes: a passage that answers a question on its own."""
SHOWN = 20
"""Texts and problems that a report shows."""
_HEADING = re.compile(r" {0,3}#{1,6}\s+(.+?)\s*#*\s*$")
_FENCE = re.compile(r" {0,3}(```|~~~)")
_DAY = re.compile(r"(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)")
_SPEAKERS = ("role", "speaker", "author")

Kind = Literal["notes", "turns", "memories"]


@dataclass(frozen=True, slots=True)
class Sample:
    """One text of a file as it would be stored."""

    content: str
    author: str | None = None
    occurred_at: datetime | None = None
    context: str = ""


@dataclass(slots=True)
class UploadReport:
    """What an imported file has, or with `dry_run` what its import would do.

    `known`: texts that are stored already. `first` and `last`: times of the earliest and the latest text.
    `sample`: the first new texts. `ids`: the memories that were stored, for an undo; empty for an export.
    """

    name: str
    kind: Kind
    dry_run: bool
    memories: int = 0
    known: int = 0
    quarantined: int = 0
    first: datetime | None = None
    last: datetime | None = None
    sample: tuple[Sample, ...] = ()
    problems: tuple[str, ...] = ()
    ids: tuple[str, ...] = field(default_factory=tuple)


def import_bytes(
    engine: ImportTarget,
    name: str,
    data: bytes,
    *,
    dry_run: bool = True,
    trusted: bool = False,
    save: Save | None = None,
) -> UploadReport:
    """Import the bytes of one file into the engine's namespace, or report what that would do.

    `trusted`: the texts are your own. Otherwise they are stored as untrusted, and the guard quarantines what
    looks like prompt injection. `save` is called with the turns that were stored, as in `ingest`. Raises
    InvalidInputError for a file that cannot be read.
    """
    place = PurePosixPath(PurePosixPath(name.replace("\\", "/")).name)
    if not place.name or len(place.name) > LONGEST_NAME:
        raise InvalidInputError("name", f"must have 1 to {LONGEST_NAME} characters.", "Rename the file.")
    if not data.strip():
        raise InvalidInputError(place.name, "is empty.", "Choose another file.")
    if place.suffix.lower() in NOTES:
        turns = list(_notes(place, data, engine))
        return _stored(engine, UploadReport(place.name, "notes", dry_run), turns, trusted, None)
    if not data.startswith(ARCHIVE) and not _is_talk(data):
        return _imported(engine, place.name, data, dry_run=dry_run, trusted=trusted)
    turns = list(_talk(place, data, engine))
    return _stored(engine, UploadReport(place.name, "turns", dry_run), turns, trusted, save)


def _is_talk(data: bytes) -> bool:
    """Whether a JSON file holds turns: each of its objects names a speaker, or it has the form of a session."""
    parsed = parse(data.splitlines(keepends=True))
    if parsed.shape in ("combray", "mnemon"):
        return False
    objects = [each.fields for each in parsed.entries if not each.broken]
    return any("content" not in each and "text" not in each for each in objects) or any(
        name in each for each in objects for name in _SPEAKERS
    )


def _notes(place: PurePath, data: bytes, engine: ImportTarget) -> Iterator[Turn]:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInputError(place.name, "is not UTF-8.", "Save it as UTF-8.") from error
    named = _DAY.search(place.name)
    day = as_moment("occurred_at", named[0], engine.runtime.clock(), engine.runtime.zone) if named else None
    for heading, section in _sections(text.replace("\x00", "")):
        for part in pieces(section, LONGEST_NOTE):
            key = hashlib.sha256(part.encode()).hexdigest()[:32]
            yield Turn(place.name, redact(part), None, day, heading, {"file": place.name, "turn": key})


def _sections(text: str) -> Iterator[tuple[str, str]]:
    """Yield the heading and the text of each section. Lines of code blocks are not headings."""
    heading, lines, fenced = "", list[str](), False
    for line in text.splitlines():
        fenced = fenced != bool(_FENCE.match(line))
        found = None if fenced else _HEADING.match(line)
        if found is None:
            lines.append(line)
            continue
        yield heading, "\n".join(lines)
        heading, lines = found[1], []
    yield heading, "\n".join(lines)


def _talk(place: PurePath, data: bytes, engine: ImportTarget) -> Iterator[Turn]:
    found = list(read_bytes(place, data, now=engine.runtime.clock(), zone=engine.runtime.zone))
    talks = [each for source in found for each in source.conversations]
    if problems := [f"{source.name}: {source.problem}" for source in found if source.problem]:
        raise InvalidInputError(place.name, problems[0], "Choose another file.")
    if len(talks) > 1 and not talks[0].session:
        # Each would go into a namespace of its own, which the caller may have no right to.
        problem = f"has {len(talks)} conversations of a data set."
        raise InvalidInputError(place.name, problem, "Import it with: combray ingest FILE.")
    for each in talks:
        seen: Counter[str] = Counter()
        for turn in each.turns:
            yield turn if each.session else _keyed(turn, place.stem, seen)


def _keyed(turn: Turn, name: str, seen: Counter[str]) -> Turn:
    """Return a turn of a plain transcript with a key, so that it is stored once."""
    sent = turn.occurred_at.isoformat() if turn.occurred_at else ""
    words = "\x1f".join((turn.author or "", sent, turn.text)).encode(errors="replace")
    key = hashlib.sha256(words).hexdigest()[:32]
    seen[key] += 1
    session = name if turn.session == "session" else turn.session
    return replace(
        turn, session=session, text=redact(turn.text), metadata={**turn.metadata, "turn": f"{key}:{seen[key]}"}
    )


def _stored(
    engine: ImportTarget, report: UploadReport, turns: Sequence[Turn], trusted: bool, save: Save | None
) -> UploadReport:
    items = list({item["id"]: item for item in new_items(engine, list(turns))}.values())
    for item in items:
        if not trusted:
            item["trust"] = "untrusted"
        elif report.kind == "notes":
            item["trust"] = "owner"
    times = [turn.occurred_at for turn in turns if turn.occurred_at is not None]
    report.first, report.last = min(times, default=None), max(times, default=None)
    report.memories = len(items)
    report.known = sum(1 for turn in turns for _ in turn.items()) - len(items)
    report.sample = tuple(
        Sample(each["content"], each["author"], each["occurred_at"], each["context"]) for each in items[:SHOWN]
    )
    if not turns:
        raise InvalidInputError(report.name, "contains no texts.", "Choose another file.")
    if report.dry_run:
        return report
    stored, refused, _ = store_turns(engine, items, save)
    report.memories = len(stored)
    report.ids = tuple(each.id for each in stored)
    report.quarantined = sum(each.guard.startswith("quarantined") for each in stored)
    report.problems = tuple(dict.fromkeys(refused))[:SHOWN]
    return report


def _imported(engine: ImportTarget, name: str, data: bytes, *, dry_run: bool, trusted: bool) -> UploadReport:
    lines = data.splitlines(keepends=True)
    # A file with invalid lines is shown by the dry run; what is valid can still be imported.
    done = import_from(engine, engine.namespace, lines, dry_run=dry_run, skip_bad=True, trusted=trusted)
    texts = (each.get("content") or each.get("text") for _, each in entries(data))
    return UploadReport(
        name,
        "memories",
        dry_run,
        memories=done.memories,
        known=done.skipped,
        quarantined=done.quarantined,
        sample=tuple(Sample(each) for each in texts if isinstance(each, str))[:SHOWN],
        problems=tuple(map(str, done.problems))[:SHOWN],
    )
