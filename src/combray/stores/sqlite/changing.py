"""Changing fields of a memory: the version row, the columns, and whatever is derived from them."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from combray.errors import NotFoundError
from combray.language.indexing import index_entry
from combray.stores.sqlite import indexes
from combray.stores.sqlite.rows import SELECT, column_value, microseconds, to_memory, to_micro
from combray.stores.validity import INDEXED, check_changes, check_history
from combray.types import Memory, Version

_LABELS_LIVE = """
UPDATE label SET live = (
    SELECT status IN ('active', 'pending_embed') AND trust <> 'quarantined' FROM memory WHERE memory.key = ?1
) WHERE key = ?1
"""


@dataclass(frozen=True, slots=True)
class Change:
    """Who changes what, and when (unix seconds)."""

    operation: str
    actor: str
    at: float
    changes: Mapping[str, Any]


def apply(
    connection: sqlite3.Connection, number: int, namespace: str, revision: int, key: int, change: Change
) -> None:
    """Write the change and its version row. Raises NotFoundError and InvalidInputError."""
    check_changes(change.changes)
    names = sorted(change.changes)
    row = connection.execute(
        f"SELECT {', '.join(['key', *names])} FROM memory WHERE namespace = ? AND key = ?", (number, key)
    ).fetchone()
    if row is None:
        raise NotFoundError(f"no memory with key {key} in namespace {namespace!r}")
    before = msgspec.json.encode(dict(zip(names, row[1:], strict=True)), order="deterministic").decode()
    connection.execute(
        "INSERT INTO version (key, number, changed_at, actor, operation, before) VALUES "
        "(?1, (SELECT coalesce(max(number), 0) + 1 FROM version WHERE key = ?1), ?2, ?3, ?4, ?5)",
        (key, to_micro(change.at), change.actor, change.operation, before),
    )
    old = _memory(connection, namespace, key) if INDEXED.intersection(names) else None
    assignments = ", ".join(f"{name} = ?" for name in [*names, "revision"])
    values = [column_value(name, change.changes[name]) for name in names]
    connection.execute(f"UPDATE memory SET {assignments} WHERE key = ?", (*values, revision, key))
    if "occurred_from" in names or "recorded_at" in names:
        moment = microseconds(_memory(connection, namespace, key).moment)
        connection.execute("UPDATE memory SET moment = ? WHERE key = ?", (moment, key))
    if old is not None:
        new = _memory(connection, namespace, key)
        entry = index_entry(new)
        indexes.remove(connection, number, key, index_entry(old))
        indexes.add(connection, number, [(key, new, entry)])
        indexes.measure(connection, key, entry)
        connection.execute("UPDATE namespace SET reindexed = reindexed + 1 WHERE id = ?", (number,))
    elif {"status", "trust"}.intersection(names):
        connection.execute(_LABELS_LIVE, (key,))


def put_history(connection: sqlite3.Connection, key: int, versions: Sequence[Version]) -> None:
    """Write version rows as they were. Raises InvalidInputError if the memory has some, or for bad rows."""
    check_history(versions, connection.execute("SELECT 1 FROM version WHERE key = ?", (key,)).fetchone())
    rows = []
    for each in versions:
        before = {name: column_value(name, value) for name, value in each.before.items()}
        encoded = msgspec.json.encode(before, order="deterministic").decode()
        moment = microseconds(each.changed_at)
        rows.append((key, each.number, moment, each.actor, each.operation, encoded))
    connection.executemany("INSERT INTO version VALUES (?, ?, ?, ?, ?, ?)", rows)


def _memory(connection: sqlite3.Connection, namespace: str, key: int) -> Memory:
    row = connection.execute(f"{SELECT} WHERE key = ?", (key,)).fetchone()
    return to_memory(row[1:], namespace)
