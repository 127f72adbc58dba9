"""One line of the audit, and how it is tied to the line before it.

A line is the entry as JSON with its own SHA-256 as the last field. The hash is taken over the bytes of the line
without that field, and every entry holds the hash of the one before it: `sha256sum` is enough to check a line.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

GENESIS = "0" * 64
"""What the first entry of a log holds in place of the hash before it."""
MOST_IDS = 100
"""Ids that one entry names; `counts` has how many there were."""

CUT = "audit.cut"
"""Operation of the entry that closes off a line which a killed process or a full disk left unfinished."""
GAP = "audit.gap"
"""Operation of the entry that says: when it was written, entries were missing that were known to be there."""

_MARK = b',"hash":"'
_TAIL = len(_MARK) + 64 + len(b'"}')


class Entry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What happened. Fields that are empty are left out of the line.

    `seq` counts from 1. `at` is ISO 8601, UTC, by the engine's clock. `operation` is the verb, `within` the verb
    that called it, if another did. `result` is ok, refused (the value or the state forbade it), failed, or
    undone (`detail` names the entry whose write was rolled back). `ids`: memories touched, at most MOST_IDS.
    `query` is the keyed digest of what was asked. Only writes have `after`: the `seq` of the write that the
    database had committed before this one (0: none), so that a write that never was committed can be told.
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
    """The end of a chain: number and hash of its last entry, and the hash before that."""

    seq: int = 0
    hash: str = GENESIS
    previous: str = ""


class Link(msgspec.Struct, frozen=True):
    """The part of an entry that ties it to the others; quicker to read than the whole."""

    seq: int
    previous: str
    operation: str
    result: str = ""
    after: int | None = None
    detail: Mapping[str, Any] = {}


_encode = msgspec.json.Encoder(order="deterministic").encode
_decode_link = msgspec.json.Decoder(Link).decode
_decode_entry = msgspec.json.Decoder(Entry).decode


def seal(head: Head, fields: Mapping[str, Any]) -> tuple[bytes, Head]:
    """The line behind `head` with those fields, its end of line included, and the new head."""
    entry = Entry(seq=head.seq + 1, previous=head.hash, **fields)
    body = _encode(entry)
    own = hashlib.sha256(body).hexdigest()
    return body[:-1] + _MARK + own.encode() + b'"}\n', Head(entry.seq, own, head.hash)


def parted(line: bytes) -> tuple[bytes, str] | None:
    """What was hashed, and the hash that the line states; None for a line that has another form.

    `line` has no end of line.
    """
    tail = line[-_TAIL:]
    if not (line.startswith(b"{") and tail.startswith(_MARK) and tail.endswith(b'"}')):
        return None
    return line[:-_TAIL] + b"}", tail[len(_MARK) : -2].decode("latin-1")


def link_of(body: bytes) -> Link | None:
    """How the hashed part of a line is tied to the others; None if it cannot be read."""
    try:
        return _decode_link(body)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None


def read(line: bytes) -> Entry | None:
    """The entry of a line; None if it cannot be read."""
    parts = parted(line)
    if parts is None:
        return None
    try:
        return _decode_entry(parts[0])
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None


def head_of(line: bytes) -> Head | None:
    """The head that a line stands for; None if it cannot be read."""
    parts = parted(line)
    link = None if parts is None else link_of(parts[0])
    return None if parts is None or link is None else Head(link.seq, parts[1], link.previous)
