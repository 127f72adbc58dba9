"""Audit entries: one JSON line each, chained by hashes.

The last field is the SHA-256 of the line without that field, and every entry contains the hash of the previous
one, so `sha256sum` can check a line.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import msgspec

from combray.records import dataclass

GENESIS = "0" * 64
"""The previous hash of the first entry."""
MOST_IDS = 100
"""Most ids of one entry; `counts` has their number."""

CUT = "audit.cut"
"""Operation of the entry that closes a line left unfinished by a killed process or a full disk."""
GAP = "audit.gap"
"""Operation of the entry that records missing entries, found when it was written."""

_MARK = b',"hash":"'
_TAIL = len(_MARK) + 64 + len(b'"}')


class Entry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One operation. Empty fields are omitted from the line.

    `seq` counts from 1. `at` is ISO 8601, UTC, by the engine's clock. `operation` is the verb, `within` the verb
    that called it, if any. `result` is ok, refused (invalid input or state), failed, or undone (`detail` names
    the entry whose write was rolled back).

    `ids`: memories touched, at most MOST_IDS. `query`: keyed digest of the query. `after`, for writes only: `seq`
    of the previously committed write (0: none), which identifies a write that was never committed.
    """

    seq: int
    previous: str
    at: str
    operation: str
    namespace: str
    actor: str
    result: str
    within: str = ""
    ids: tuple[str, ...] = ()
    counts: Mapping[str, int] = {}
    preset: str = ""
    tier: str = ""
    query: str = ""
    after: int | None = None
    detail: Mapping[str, Any] = {}


@dataclass(frozen=True, slots=True)
class Head:
    """The end of a chain: number, hash and previous hash of its last entry."""

    seq: int = 0
    hash: str = GENESIS
    previous: str = ""


@dataclass(frozen=True, slots=True)
class Mark:
    """A position in the chain: number and hash of an entry, number of its file, and the offset after its line."""

    seq: int
    hash: str
    segment: int
    end: int


class ChainFields(msgspec.Struct, frozen=True):
    """The fields of an entry that chain it to others. Faster to decode than the whole entry."""

    seq: int
    previous: str
    operation: str
    result: str = ""
    after: int | None = None
    detail: Mapping[str, Any] = {}


_encode = msgspec.json.Encoder(order="deterministic").encode
_decode_link = msgspec.json.Decoder(ChainFields).decode
_decode_entry = msgspec.json.Decoder(Entry).decode


def seal(head: Head, fields: Mapping[str, Any]) -> tuple[bytes, Head]:
    """Return the line that follows `head`, with its newline, and the new head."""
    entry = Entry(seq=head.seq + 1, previous=head.hash, **fields)
    body = _encode(entry)
    own = hashlib.sha256(body).hexdigest()
    return body[:-1] + _MARK + own.encode() + b'"}\n', Head(entry.seq, own, head.hash)


def parted(line: bytes) -> tuple[bytes, str] | None:
    """Split a line without newline into the hashed bytes and the hash. None for a malformed line."""
    tail = line[-_TAIL:]
    if not (line.startswith(b"{") and tail.startswith(_MARK) and tail.endswith(b'"}')):
        return None
    return line[:-_TAIL] + b"}", tail[len(_MARK) : -2].decode("latin-1")


def link_of(body: bytes) -> ChainFields | None:
    """Decode the link of the hashed bytes. None if they are malformed."""
    try:
        return _decode_link(body)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None


def read(line: bytes) -> Entry | None:
    """Decode a line. None if it is malformed."""
    parts = parted(line)
    if parts is None:
        return None
    try:
        return _decode_entry(parts[0])
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None


def head_of(line: bytes) -> Head | None:
    """Return the head after a line. None if it is malformed."""
    parts = parted(line)
    link = None if parts is None else link_of(parts[0])
    return None if parts is None or link is None else Head(link.seq, parts[1], link.previous)


def mark_to_text(mark: Mark, written: int) -> str:
    """Format a mark for the database, with the number of the last committed write."""
    return f"{mark.seq} {mark.hash} {mark.segment} {mark.end} {written}"


def mark_of(text: str) -> tuple[Mark, int] | None:
    """Parse a mark and the last committed write. None for any other text."""
    parts = text.split()
    numbers = [part for place, part in enumerate(parts) if place != 1]
    if len(parts) != 5 or not all(part.isascii() and part.isdigit() for part in numbers):
        return None
    seq, segment, end, written = map(int, numbers)
    return Mark(seq, parts[1], segment, end), written
