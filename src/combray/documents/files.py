"""Read files atomically, decode them, and split them into chunks; the state of the indexing pipeline.

Of a session transcript (JSON lines) the messages of users and assistants are read, with their times. Every
message keeps its line number, so that citations lead back to the file.
"""

from __future__ import annotations

import hashlib
import os
import time
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, tzinfo
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from combray.documents.chunks import Chunk, ChunkSize, NumberedLine, chunk, lines_of
from combray.documents.workspace import MAX_BYTES, SESSIONS, FilePlace, FoundFile, open_file
from combray.errors import InvalidInputError
from combray.guard.redaction import redact
from combray.records import dataclass, field, replace
from combray.remember.guard import Verdict
from combray.runtime import Document, Reader, Writer
from combray.sessions.session import entries, said
from combray.types import Step

_SPEAKERS = {"user": "User", "assistant": "Assistant"}
_TRIES = 3
_SETTLED = 50_000_000
"""Nanoseconds. A file that changed this recently may change again with the same mtime."""
UNSETTLED = -1
"""Recorded mtime of a file that may still change, so that it is read again the next time."""


class UnreadableError(Exception):
    """A file that is skipped, and why."""


@dataclass(frozen=True, slots=True)
class TextChunk:
    """A chunk with the SHA-256 of its text. `sent`: when the first and the last of its messages were sent."""

    chunk: Chunk
    hash: str
    sent: tuple[datetime, datetime] | None = None


@dataclass(frozen=True, slots=True)
class ReadFile:
    """A file as read: its index entry and its chunks."""

    place: FilePlace
    document: Document
    modified: int
    chunks: tuple[TextChunk, ...]


def read_bytes(place: FilePlace) -> tuple[bytes, int, bool]:
    """Return the bytes, the mtime, and whether the file did not change while it was read.

    Raises FileNotFoundError, OSError, UnreadableError, InvalidInputError.
    """
    for _ in range(_TRIES):
        descriptor = open_file(place)
        with open(descriptor, "rb") as file:  # noqa: PTH123 - a descriptor, no path
            before = os.fstat(descriptor)
            data = file.read(MAX_BYTES + 1)
            after = os.fstat(descriptor)
        if len(data) > MAX_BYTES:
            raise UnreadableError(f"larger than {MAX_BYTES // 1024 // 1024} MB")
        still = (before.st_size, before.st_mtime_ns) == (after.st_size, after.st_mtime_ns)
        if still and len(data) == after.st_size:
            return data, after.st_mtime_ns, time.time_ns() - after.st_mtime_ns > _SETTLED
    return data, after.st_mtime_ns, False


def decode(data: bytes) -> str:
    """Decode UTF-8, with or without a byte order mark. Raises UnreadableError with the position of a bad byte."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableError(f"not UTF-8 text (byte {error.start}); convert it with iconv") from None
    if "\0" in text:
        raise UnreadableError("not a text file: it contains a NUL character")
    return text


def read_lines(place: FilePlace, text: str, *, redacted: bool) -> list[NumberedLine]:
    """Return the lines that are indexed and shown: those of a note, or the messages of a transcript."""
    if place.source == SESSIONS:
        return _lines(messages(text))
    return lines_of(redact(text) if redacted else text)


def _lines(said: Sequence[Message]) -> list[NumberedLine]:
    return [(each.line, each.text) for each in said]


def cut(lines: list[NumberedLine], size: ChunkSize) -> tuple[TextChunk, ...]:
    """Split a file's lines into chunks."""
    chunks = chunk(lines, tokens=size.tokens, overlap=size.overlap)
    return tuple(TextChunk(each, hashlib.sha256(each.text.encode()).hexdigest()) for each in chunks)


def read(
    root: str,
    found: FoundFile,
    *,
    redacted: bool = False,
    size: ChunkSize = ChunkSize(),  # noqa: B008 - immutable
) -> ReadFile:
    """Read, hash and split one file. `redacted` also redacts secrets in notes.

    Raises UnreadableError with a readable reason.
    """
    try:
        data, modified, settled = read_bytes(found.place)
    except FileNotFoundError:
        raise UnreadableError("deleted before it could be read") from None
    except OSError as error:
        raise UnreadableError(error.strerror or str(error)) from None
    except InvalidInputError as error:
        raise UnreadableError(error.problem) from None
    text = decode(data)
    if found.place.source == SESSIONS:
        said = messages(text)
        chunks = tuple(_sent(cut(_lines(said), size), said))
    else:
        chunks = cut(read_lines(found.place, text, redacted=redacted), size)
    place, digest = found.place, hashlib.sha256(data).hexdigest()
    document = Document(root, place.path, place.source, digest, len(data), modified if settled else UNSETTLED)
    return ReadFile(place, document, modified, chunks)


def _sent(chunks: Sequence[TextChunk], said: Sequence[Message]) -> Iterator[TextChunk]:
    """Yield the chunks with the times of their messages; a message without one has that of the one before it."""
    lines = [each.line for each in said]
    times: list[datetime | None] = []
    for each in said:
        times.append(each.sent or (times[-1] if times else None))
    for text in chunks:
        first, end = bisect_left(lines, text.chunk.start_line), bisect_right(lines, text.chunk.end_line)
        within = [time for time in times[first:end] if time is not None]
        yield replace(text, sent=(min(within), max(within)) if within else None)


# -- transcripts ---------------------------------------------------------------------------------


class Message(NamedTuple):
    """One message: its line in the file, its text, and when it was sent if the file says so."""

    line: int
    text: str
    sent: datetime | None


def messages(text: str) -> list[Message]:
    """Return the messages "User: …" and "Assistant: …", with white space collapsed and secrets redacted.

    The formats are those of `sessions.session`, and lines with `role` and `content`. Other lines are skipped.
    """
    found = []
    for number, entry in entries(text.encode("utf-8", "surrogatepass")):
        message = said(entry)
        if message is None:
            continue
        # Redacted before the lines are joined, because a private key has several lines.
        words = " ".join(redact(message.text).split())
        if words:
            found.append(Message(number, f"{_SPEAKERS[message.role]}: {words}", message.sent))
    return found


# -- a batch on its way into the index -----------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Arriving:
    """A file to index. `session` groups its chunks; `moved_from` is its previous path."""

    file: ReadFile
    session: str
    moved_from: str | None = None


@dataclass(slots=True)
class Placing:
    """State of the pipeline: files that were read, and deleted paths."""

    namespace: str
    root: str
    arriving: list[Arriving]
    gone: list[str]
    reader: Reader
    now: float
    scope: str = ""
    """Scope tag of the chunks, "" for none."""
    zone: tzinfo = UTC
    """Time zone of the days in names of files."""
    fresh_vectors: bool = False
    verdicts: dict[str, dict[int, Verdict | None]] = field(default_factory=dict)
    """Verdicts on chunks by path and place. A chunk without a verdict keeps its trust."""
    vectors: dict[str, NDArray[np.float32]] = field(default_factory=dict)
    leaving: set[int] = field(default_factory=set)
    """Previous rows of the files in this batch."""
    embedded: int = 0
    reused: int = 0
    quarantined: list[str] = field(default_factory=list)
    """Ids of chunks that were quarantined."""
    tx: Writer | None = None
    trace: list[Step] = field(default_factory=list)
    degraded: list[str] = field(default_factory=list)

    def size(self) -> int:
        """Return the number of chunks."""
        return sum(len(each.file.chunks) for each in self.arriving)

    @property
    def writer(self) -> Writer:
        """The open transaction."""
        if self.tx is None:
            raise AssertionError("this stage runs inside a Transaction")
        return self.tx
