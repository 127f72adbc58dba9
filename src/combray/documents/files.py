"""Read one file atomically, decode it, and split it into chunks."""

from __future__ import annotations

import hashlib
import os
import time
from dataclasses import dataclass

from combray.documents.chunks import Chunk, NumberedLine, chunk, lines_of
from combray.documents.transcripts import transcript_lines
from combray.documents.workspace import MAX_BYTES, SESSIONS, FoundFile, Place, open_file
from combray.errors import InvalidInputError
from combray.guard.redaction import redact
from combray.runtime import Document

_TRIES = 3
_SETTLED = 50_000_000
"""Nanoseconds. A file that changed this recently may change again with the same mtime."""
UNSETTLED = -1
"""Recorded mtime of a file that may still change, so that it is read again the next time."""


class UnreadableError(Exception):
    """A file that is skipped, and why."""


@dataclass(frozen=True, slots=True)
class TextChunk:
    """A chunk with the SHA-256 of its text."""

    chunk: Chunk
    hash: str


@dataclass(frozen=True, slots=True)
class ReadFile:
    """A file as read: its index entry and its chunks."""

    place: Place
    document: Document
    modified: int
    chunks: tuple[TextChunk, ...]


def read_bytes(place: Place) -> tuple[bytes, int, bool]:
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


def read_lines(place: Place, text: str, *, redacted: bool) -> list[NumberedLine]:
    """Return the lines that are indexed and shown: those of a note, or the messages of a transcript."""
    if place.source == SESSIONS:
        return transcript_lines(text)
    return lines_of(redact(text) if redacted else text)


def cut(lines: list[NumberedLine]) -> tuple[TextChunk, ...]:
    """Split a file's lines into chunks."""
    return tuple(TextChunk(each, hashlib.sha256(each.text.encode()).hexdigest()) for each in chunk(lines))


def read(root: str, found: FoundFile, *, redacted: bool = False) -> ReadFile:
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
    chunks = cut(read_lines(found.place, decode(data), redacted=redacted))
    place, digest = found.place, hashlib.sha256(data).hexdigest()
    document = Document(root, place.path, place.source, digest, len(data), modified if settled else UNSETTLED)
    return ReadFile(place, document, modified, chunks)
