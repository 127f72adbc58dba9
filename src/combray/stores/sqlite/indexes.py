"""What the file holds twice, for speed: every memory's index terms and labels, rebuilt from the originals."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

from combray.language.indexing import IndexEntry
from combray.stores.sqlite.postings import indexed
from combray.types import LIVE_STATUSES, Memory

_INSERT_TERMS = 'INSERT INTO term_index (rowid, "0", "1", "2", "3") VALUES (?, ?, ?, ?, ?)'
_DELETE_TERMS = (
    'INSERT INTO term_index (term_index, rowid, "0", "1", "2", "3") VALUES (\'delete\', ?, ?, ?, ?, ?)'
)
_MEASURES = "UPDATE memory SET words = ?, length = ?, asks = ?, times = ?, cues = ? WHERE key = ?"
_INSERT_LABELS = "INSERT OR IGNORE INTO label (namespace, sort, name, key, live) VALUES (?, ?, ?, ?, ?)"

Indexed = tuple[int, Memory, IndexEntry]
"""Key, memory, and what the keyword index holds of it."""


def _term_row(number: int, key: int, entry: IndexEntry) -> tuple[Any, ...]:
    return (key, *(" ".join([indexed(number, term) for term in field]) for field in entry.fields))


def labels(number: int, one: Indexed) -> list[tuple[int, str, str, int, int]]:
    """Rows of the label table for a memory; the same name twice gives the same row twice."""
    key, memory, _ = one
    live = int(memory.status in LIVE_STATUSES and memory.trust != "quarantined")
    named = [(number, "entity", name.casefold(), key, live) for name in memory.entities]
    return named + [(number, "tag", tag.casefold(), key, live) for tag in memory.tags]


def add(connection: sqlite3.Connection, number: int, memories: Sequence[Indexed]) -> None:
    """Index memories of namespace `number`."""
    connection.executemany(_INSERT_TERMS, [_term_row(number, key, entry) for key, _, entry in memories])
    connection.executemany(_INSERT_LABELS, [row for one in memories for row in labels(number, one)])


def measure(connection: sqlite3.Connection, key: int, entry: IndexEntry) -> None:
    """Set the columns of a memory that are derived from its texts."""
    facts = (entry.words, entry.length, int(entry.asks), int(entry.times), entry.cues)
    connection.execute(_MEASURES, (*facts, key))


def remove(connection: sqlite3.Connection, number: int, key: int, entry: IndexEntry) -> None:
    """Take a memory out. `entry` must be what was indexed: the index keeps no copy to look it up in."""
    connection.execute(_DELETE_TERMS, _term_row(number, key, entry))
    connection.execute("DELETE FROM label WHERE key = ?", (key,))
