"""Derived rows for speed: index terms, labels and names, which can be rebuilt from the memories."""

from __future__ import annotations

from collections.abc import Sequence

from combray.language.indexing import IndexEntry, teaches, with_current_hash
from combray.stores.session import StoreSession
from combray.types import LIVE_STATUSES, Memory

Indexed = tuple[int, Memory, IndexEntry]
"""Key, memory, and its entry in the keyword index."""


def labels(one: Indexed) -> list[tuple[str, str, int, bool]]:
    """Return the rows of the label table for a memory, with duplicates for duplicate names."""
    key, memory, _ = one
    live = memory.status in LIVE_STATUSES and memory.trust != "quarantined"
    named = [("entity", name.casefold(), key, live) for name in memory.entities]
    return named + [("tag", tag.casefold(), key, live) for tag in memory.tags]


def aliases(one: Indexed) -> list[tuple[str, str, int, str, bool]]:
    """Return the rows of the alias table for a memory."""
    key, memory, entry = one
    live = teaches(memory)
    return [(name, canonical, key, origin, live) for name, canonical, origin in entry.names]


def add(session: StoreSession, memories: Sequence[Indexed]) -> None:
    """Index memories of the session's namespace."""
    session.add_terms([(key, entry) for key, _, entry in memories])
    for statement, rows in ((session.sql.labels.add, labels), (session.sql.aliases.add, aliases)):
        session.of_table_later(statement, dict.fromkeys(row for one in memories for row in rows(one)))


def measure(session: StoreSession, memories: Sequence[tuple[int, IndexEntry]]) -> None:
    """Write the columns that are derived from the texts of memories."""
    session.of_table_later(
        session.sql.memories.set_derived,
        [
            (key, entry.words, entry.length, int(entry.asks), int(entry.times), entry.cues)
            for key, entry in memories
        ],
    )


def rehash(session: StoreSession, memories: Sequence[tuple[int, Memory]]) -> None:
    """Write the content hash of memories whose hash is that of an earlier version."""
    session.of_table_later(
        session.sql.memories.set_hash,
        [
            (key, found.content_hash)
            for key, memory in memories
            if (found := with_current_hash(memory)) is not memory
        ],
    )


def remove(session: StoreSession, memories: Sequence[tuple[int, IndexEntry]]) -> None:
    """Remove memories. The entries must be those that were indexed: an index may keep no copy of the texts."""
    session.remove_terms(memories)
    gone = [key for key, _ in memories]
    session.of_later(session.sql.labels.remove, gone)
    session.of_later(session.sql.aliases.remove, gone)
