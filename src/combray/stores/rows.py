"""Memories to table rows and back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any, TypeVar

import msgspec

from combray.errors import CorruptStoreError
from combray.language.indexing import IndexEntry
from combray.language.scopes import scope_set
from combray.runtime import Link
from combray.runtime.queue import Job
from combray.stores.columns import COLUMNS
from combray.stores.snapshot import scope_name
from combray.stores.statements import FIELDS
from combray.types import EDGE_TYPES, Edge, Memory, Version
from combray.values import shown

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
END_OF_TIME = 2**63 - 1
"""Later than every moment, in microseconds."""

TIMES = (
    "recorded_at",
    "occurred_from",
    "occurred_to",
    "said_at",
    "valid_from",
    "valid_to",
    "expires_at",
    "last_accessed_at",
)
JSON_FIELDS = ("tags", "entities", "evidence", "aliases", "metadata")

_SCOPE = tuple(COLUMNS).index("scope")
_NAMESPACE = Memory.__struct_fields__.index("namespace")
_TIME_PLACES = tuple(FIELDS.index(name) for name in TIMES)
_JSON_PLACES = tuple(FIELDS.index(name) for name in JSON_FIELDS)

_EMPTY: dict[Any, Any] = {"[]": (), "{}": {}}
_encode = msgspec.json.Encoder(order="deterministic").encode
_decode = msgspec.json.decode
_texts = msgspec.json.Decoder(tuple[str, ...]).decode
_aliases = msgspec.json.Decoder(dict[str, tuple[str, ...]]).decode
_UNREADABLE = (ValueError, TypeError, OverflowError, AttributeError, LookupError)

T = TypeVar("T")


def reading(what: str, read: Callable[[], T]) -> T:
    """Return `read()`. Raises CorruptStoreError if it meets a value that Combray never writes."""
    try:
        return read()
    except _UNREADABLE as error:
        raise CorruptStoreError(f"{what} cannot be read ({error!r}). Restore a backup.") from error


def microseconds(moment: datetime | None) -> int | None:
    """Return integer microseconds since 1970, exactly."""
    return None if moment is None else (moment - _EPOCH) // _MICROSECOND


def moment_of(value: int | None, zone: tzinfo = UTC) -> datetime | None:
    """Return the aware datetime of integer microseconds."""
    return None if value is None else _shown(value, zone)


def _shown(value: int, zone: tzinfo) -> datetime:
    moment = _EPOCH + timedelta(microseconds=value)
    return moment if zone is UTC else shown(moment, zone)


def to_micro(seconds: float) -> int:
    """Convert unix seconds to integer microseconds."""
    return round(seconds * 1_000_000)


def to_seconds(micro: int) -> float:
    """Convert integer microseconds to unix seconds."""
    return micro / 1_000_000


def to_json(value: Any) -> str:
    """Return a value as JSON, with sorted keys."""
    return _encode(value).decode()


def column_value(name: str, value: Any) -> Any:
    """Return a field as the table stores it."""
    if name in TIMES:
        return microseconds(value)
    if name in JSON_FIELDS:
        return to_json(value)
    return value


def plain_value(name: str, value: Any) -> Any:
    """Return a table value as a Memory field."""
    if name in TIMES:
        return moment_of(value)
    if name in JSON_FIELDS:
        if name == "aliases":
            return _aliases(value)
        return _decode(value) if name == "metadata" else _texts(value)
    return value


def to_row(memory: Memory, namespace: int, revision: int, entry: IndexEntry) -> tuple[Any, ...]:
    """Return the values of the statement `memories.add`."""
    values = [value for place, value in enumerate(msgspec.structs.astuple(memory)) if place != _NAMESPACE]
    for place in _TIME_PLACES:
        values[place] = microseconds(values[place])
    for place in _JSON_PLACES:
        values[place] = to_json(values[place])
    flags = (int(entry.asks), int(entry.times))
    moment = microseconds(memory.moment)
    return (namespace, revision, moment, entry.words, entry.length, *flags, entry.cues, *values)


def column_row(key: int, memory: Memory, entry: IndexEntry) -> tuple[Any, ...]:
    """Return the row of `memories.columns` of a memory that was stored with this entry."""

    def seconds(moment: datetime | None) -> float | None:
        # As the database divides.
        return None if moment is None else float(microseconds(moment) or 0) / 1e6

    happened = (memory.occurred_from, memory.occurred_to) if memory.said_at is not None else (None, None)
    return (
        key,
        memory.status,
        memory.tier,
        memory.kind,
        memory.category,
        memory.source,
        memory.trust,
        memory.author,
        memory.session,
        to_json(memory.tags) if memory.tags else None,
        memory.position,
        entry.words,
        entry.length,
        memory.importance,
        memory.confidence,
        *map(seconds, (memory.moment, memory.recorded_at, *happened)),
        *map(seconds, (memory.valid_from, memory.valid_to, memory.expires_at)),
        int(entry.asks),
        int(entry.times),
        entry.cues,
    )


def to_memory(row: Sequence[Any], namespace: str, zone: tzinfo = UTC) -> Memory:
    """Convert a row of `memories.whole` or `memories.by_key`. Its moments are in `zone`."""
    values = dict(zip(FIELDS, row[1:], strict=True))
    try:
        for name in TIMES:
            if values[name] is not None:
                values[name] = _shown(values[name], zone)
        for name in JSON_FIELDS:
            text = values[name]
            values[name] = _EMPTY[text] if text in _EMPTY else plain_value(name, text)
        # New dicts: the default one is shared, and callers may change theirs.
        values["metadata"], values["aliases"] = dict(values["metadata"]), dict(values["aliases"])
    except _UNREADABLE as error:
        raise CorruptStoreError(
            f"memory {values['id']!r} cannot be read ({error!r}). Restore a backup."
        ) from error
    return Memory(namespace=namespace, **values)


def with_scopes(rows: Sequence[Sequence[Any]]) -> list[Sequence[Any]]:
    """Return rows of `memories.columns` with scopes instead of the tags that hold them."""
    return [
        row
        if row[_SCOPE] is None
        else (*row[:_SCOPE], scope_name(scope_set(_texts(row[_SCOPE]))), *row[_SCOPE + 1 :])
        for row in rows
    ]


def to_version(row: Sequence[Any], zone: tzinfo = UTC) -> Version:
    """Convert a row of `versions.history`. It was changed at a moment in `zone`."""
    memory_id, number, changed_at, actor, operation, before = row
    return reading(
        f"version {number} of memory {memory_id!r}",
        lambda: Version(
            memory_id=memory_id,
            number=number,
            changed_at=_shown(changed_at, zone),
            actor=actor,
            operation=operation,
            before={name: plain_value(name, value) for name, value in _decode(before).items()},
        ),
    )


def to_edge(row: Sequence[Any]) -> Edge:
    """Convert a row of `edges.every`."""
    source, target, code, subtype, weight, reason, maker, at = row
    return Edge(
        source=source,
        target=target,
        type=EDGE_TYPES[code],
        subtype=subtype,
        weight=weight,
        reason=reason or "",
        created_by=maker or "combray",
        created_at=reading(f"an edge of memory {source!r}", lambda: _EPOCH + timedelta(microseconds=at)),
    )


def to_link(row: Sequence[Any]) -> Link:
    """Convert a row of `edges.at_keys`."""
    source, target, code, subtype, weight, reason, maker = row
    return Link(source, target, EDGE_TYPES[code], weight, subtype, reason or "", maker or "combray")


def type_codes(types: Sequence[str]) -> list[int]:
    """Return edge types as the table stores them; every type for none."""
    return [EDGE_TYPES.index(each) for each in types or EDGE_TYPES]


def to_job(row: Sequence[Any]) -> Job:
    """Return the entry of the embedding queue in a row."""
    key, model, added, attempts, next_at, holder, failed, error, done = row
    times = to_seconds(added), attempts, to_seconds(next_at)
    return Job(key, model, *times, holder, bool(failed), error, to_seconds(done))


def listed(values: Iterable[Any]) -> str:
    """Return a list as JSON: how a row holds it, and in SQLite one parameter of a statement."""
    return msgspec.json.encode(list(values)).decode()


def to_texts(what: str, text: str) -> tuple[str, ...]:
    """Return a list of texts in a row. Raises CorruptStoreError, which names it."""
    return reading(what, lambda: _texts(text))
