"""Derived rows for speed: index terms and labels of every memory, which can be rebuilt from the memories."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

from combray.language.indexing import IndexEntry
from combray.stores.derived_rows import Indexed, aliases, labels
from combray.stores.rows import listed
from combray.stores.sqlite import sql
from combray.stores.sqlite.namespace import term


def _term_row(number: int, key: int, entry: IndexEntry) -> tuple[Any, ...]:
    prefix = term(number, "")
    return (key, *(" ".join([prefix + each for each in field]) for field in entry.fields))


def add(connection: sqlite3.Connection, number: int, memories: Sequence[Indexed]) -> None:
    """Index memories of namespace `number`."""
    connection.executemany(sql.terms.add, [_term_row(number, key, entry) for key, _, entry in memories])
    connection.executemany(sql.labels.add, [row for one in memories for row in labels(number, one)])
    if named := [row for one in memories for row in aliases(number, one)]:
        connection.executemany(sql.aliases.add, named)


def measure(connection: sqlite3.Connection, key: int, entry: IndexEntry) -> None:
    """Write the columns that are derived from the memory's texts."""
    facts = (entry.words, entry.length, int(entry.asks), int(entry.times), entry.cues)
    connection.execute(sql.memories.set_derived, (key, *facts))


def remove(connection: sqlite3.Connection, number: int, memories: Sequence[tuple[int, IndexEntry]]) -> None:
    """Remove memories. The entries must be those that were indexed: the index keeps no copy of the texts."""
    connection.executemany(sql.terms.remove, [_term_row(number, key, entry) for key, entry in memories])
    keys = listed(key for key, _ in memories)
    connection.execute(sql.labels.remove, (keys,))
    connection.execute(sql.aliases.remove, (keys,))
