"""What the file holds twice, for speed: every memory's index terms and labels, rebuilt from the originals."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

from combray.language.indexing import IndexEntry
from combray.stores.sqlite import sql
from combray.stores.sqlite.namespace import term
from combray.stores.sqlite.sql import listed
from combray.types import LIVE_STATUSES, Memory

Indexed = tuple[int, Memory, IndexEntry]
"""Key, memory, and what the keyword index holds of it."""


def _term_row(number: int, key: int, entry: IndexEntry) -> tuple[Any, ...]:
    return (key, *(" ".join([term(number, each) for each in field]) for field in entry.fields))


def labels(number: int, one: Indexed) -> list[tuple[int, str, str, int, int]]:
    """Rows of the label table for a memory; the same name twice gives the same row twice."""
    key, memory, _ = one
    live = int(memory.status in LIVE_STATUSES and memory.trust != "quarantined")
    named = [(number, "entity", name.casefold(), key, live) for name in memory.entities]
    return named + [(number, "tag", tag.casefold(), key, live) for tag in memory.tags]


def add(connection: sqlite3.Connection, number: int, memories: Sequence[Indexed]) -> None:
    """Index memories of namespace `number`."""
    connection.executemany(sql.terms.add, [_term_row(number, key, entry) for key, _, entry in memories])
    connection.executemany(sql.labels.add, [row for one in memories for row in labels(number, one)])


def measure(connection: sqlite3.Connection, key: int, entry: IndexEntry) -> None:
    """Set the columns of a memory that are derived from its texts."""
    facts = (entry.words, entry.length, int(entry.asks), int(entry.times), entry.cues)
    connection.execute(sql.memories.set_derived, (key, *facts))


def remove(connection: sqlite3.Connection, number: int, memories: Sequence[tuple[int, IndexEntry]]) -> None:
    """Remove memories. The entries must be what was indexed: the index keeps no copy to look them up in."""
    connection.executemany(sql.terms.remove, [_term_row(number, key, entry) for key, entry in memories])
    connection.execute(sql.labels.remove, (listed(key for key, _ in memories),))
