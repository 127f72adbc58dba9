"""Changes of a memory: the version row, the changed columns, and the columns and terms derived from them."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from combray.language.indexing import index_entry
from combray.stores.sqlite import indexes, sql
from combray.stores.sqlite.namespace import missing
from combray.stores.sqlite.rows import column_value, microseconds, to_memory, to_micro
from combray.stores.sqlite.sql import FIELDS, listed
from combray.stores.validity import INDEXED, check_changes, check_history
from combray.types import Version


@dataclass(frozen=True, slots=True)
class Change:
    """A change of fields: operation, actor, unix seconds, new values."""

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
    row = connection.execute(sql.memories.whole, (number, listed([key]))).fetchone()
    if row is None:
        raise missing(key, namespace)
    before = _encoded({name: row[1 + FIELDS.index(name)] for name in names})
    connection.execute(sql.versions.add, (key, to_micro(change.at), change.actor, change.operation, before))
    assignments = ", ".join(f"{name} = ?" for name in [*names, "revision"])
    values = [column_value(name, change.changes[name]) for name in names]
    connection.execute(sql.memories.change.format(assignments=assignments), (*values, revision, key))
    if "occurred_from" in names or "recorded_at" in names:
        connection.execute(sql.memories.set_moment, (key,))
    if INDEXED.intersection(names):
        new = to_memory(connection.execute(sql.memories.by_key, (key,)).fetchone(), namespace)
        entry = index_entry(new)
        indexes.remove(connection, number, [(key, index_entry(to_memory(row, namespace)))])
        indexes.add(connection, number, [(key, new, entry)])
        indexes.measure(connection, key, entry)
        connection.execute(sql.namespaces.grow_reindexed, (number,))
    elif {"status", "trust"}.intersection(names):
        connection.execute(sql.labels.set_live, (key,))


def put_history(connection: sqlite3.Connection, key: int, versions: Sequence[Version]) -> None:
    """Write version rows of a memory without history. Raises InvalidInputError."""
    check_history(versions, connection.execute(sql.versions.exists, (key,)).fetchone())
    connection.executemany(
        sql.versions.put,
        [
            (
                key,
                each.number,
                microseconds(each.changed_at),
                each.actor,
                each.operation,
                _encoded({name: column_value(name, value) for name, value in each.before.items()}),
            )
            for each in versions
        ],
    )


def _encoded(before: Mapping[str, Any]) -> str:
    return msgspec.json.encode(before, order="deterministic").decode()
