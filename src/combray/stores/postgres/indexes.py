"""Derived rows for speed: index terms, labels and names, which can be rebuilt from the memories."""

from __future__ import annotations

from collections.abc import Sequence

from combray.language.indexing import IndexEntry
from combray.stores.derived_rows import Indexed, aliases, labels
from combray.stores.postgres import sql
from combray.stores.postgres.postings import rows_of
from combray.stores.postgres.session import Session


def add(session: Session, memories: Sequence[Indexed]) -> None:
    """Index memories of the session's namespace."""
    session.of_later(sql.terms.add, *rows_of([(key, entry) for key, _, entry in memories]))
    named = dict.fromkeys(row[1:] for one in memories for row in labels(0, one))
    if named:
        session.of_later(sql.labels.add, *map(list, zip(*named, strict=True)))
    stated = dict.fromkeys(row[1:] for one in memories for row in aliases(0, one))
    if stated:
        session.of_later(sql.aliases.add, *map(list, zip(*stated, strict=True)))


def measure(session: Session, memories: Sequence[tuple[int, IndexEntry]]) -> None:
    """Write the columns that are derived from the texts of memories."""
    rows = [
        (key, entry.words, entry.length, int(entry.asks), int(entry.times), entry.cues) for key, entry in memories
    ]
    session.of_later(sql.memories.set_derived, *map(list, zip(*rows, strict=True)))


def remove(session: Session, memories: Sequence[tuple[int, IndexEntry]]) -> None:
    """Remove memories. The entries must be those that were indexed."""
    terms, keys, _ = rows_of(memories)
    session.of_later(sql.terms.remove, terms, keys)
    gone = [key for key, _ in memories]
    session.of_later(sql.labels.remove, gone)
    session.of_later(sql.aliases.remove, gone)
