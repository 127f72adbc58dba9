"""One file, read whole and at one moment, decoded, and cut into chunks."""

from __future__ import annotations

import hashlib
import os
import time
from dataclasses import dataclass

from combray.documents.chunking import Chunk, NumberedLine, chunk, lines_of
from combray.documents.transcripts import transcript_lines
from combray.documents.workspace import MAX_BYTES, SESSIONS, Found, Place, open_file
from combray.errors import InvalidInputError
from combray.guard.redaction import redact
from combray.runtime import Document

_TRIES = 3
_SETTLED = 50_000_000
"""Nanoseconds: a file changed so shortly before it was read may change again without another mtime."""
UNSETTLED = -1
"""An mtime that no file has: such a file is read again the next time."""


class UnreadableError(Exception):
    """A file that is left out, and why."""


@dataclass(frozen=True, slots=True)
class TextChunk:
    """A chunk with the SHA-256 of its text."""

    chunk: Chunk
    hash: str


@dataclass(frozen=True, slots=True)
class ReadFile:
    """A file as read: what to remember it by, and its chunks."""

    place: Place
    document: Document
    modified: int
    chunks: tuple[TextChunk, ...]


def read_bytes(place: Place) -> tuple[bytes, int, bool]:
    """The bytes, the mtime, and whether the file held still while it was read.

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
    """UTF-8, with or without a byte order mark. Raises UnreadableError, naming the byte that does not fit."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableError(f"not UTF-8 text (byte {error.start}); convert it with iconv") from None
    if "\0" in text:
        raise UnreadableError("not a text: it holds a NUL character")
    return text


def read_lines(place: Place, text: str, *, redacted: bool) -> list[NumberedLine]:
    """The lines that are indexed and shown: of a note its own, of a transcript what was said."""
    if place.source == SESSIONS:
        return transcript_lines(text)
    return lines_of(redact(text) if redacted else text)


def cut(lines: list[NumberedLine]) -> tuple[TextChunk, ...]:
    """The chunks of a file's lines, as they are indexed."""
    return tuple(TextChunk(each, hashlib.sha256(each.text.encode()).hexdigest()) for each in chunk(lines))


def read(root: str, found: Found, *, redacted: bool = False) -> ReadFile:
    """Read, hash and cut one file. `redacted` takes secrets out of notes too.

    Raises UnreadableError with a reason for people.
    """
    try:
        data, modified, settled = read_bytes(found.place)
    except FileNotFoundError:
        raise UnreadableError("gone before it could be read") from None
    except OSError as error:
        raise UnreadableError(error.strerror or str(error)) from None
    except InvalidInputError as error:
        raise UnreadableError(error.problem) from None
    chunks = cut(read_lines(found.place, decode(data), redacted=redacted))
    document = Document(
        root,
        found.place.path,
        found.place.source,
        hashlib.sha256(data).hexdigest(),
        len(data),
        modified if settled else UNSETTLED,
    )
    return ReadFile(found.place, document, modified, chunks)
