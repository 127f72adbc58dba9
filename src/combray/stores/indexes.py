"""Derived rows for speed: index terms, labels and names. They can be checked, and rebuilt from the memories."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager

from combray.language.indexing import IndexEntry, teaches, terms_version, with_current_hash
from combray.stores.session import Row, StoreSession
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


def rebuild(session: StoreSession, memories: Iterable[tuple[StoreSession, Sequence[Indexed]]]) -> int:
    """Write the derived rows of all namespaces anew. Return of how many memories.

    `memories`: some at a time, each with a session of their namespace.
    """
    sql = session.sql
    for statement in (sql.terms.remove_all, sql.labels.remove_all, sql.aliases.remove_all):
        session.run(statement)
    count = 0
    for space, some in memories:
        measure(space, [(key, entry) for key, _, entry in some])
        rehash(space, [each[:2] for each in some])
        add(space, some)
        count += len(some)
    return count


def remove(session: StoreSession, memories: Sequence[tuple[int, IndexEntry]]) -> None:
    """Remove memories. The entries must be those that were indexed: an index may keep no copy of the texts."""
    session.remove_terms(memories)
    gone = [key for key, _ in memories]
    session.of_later(session.sql.labels.remove, gone)
    session.of_later(session.sql.aliases.remove, gone)


REMEDY = "'combray doctor --repair' rebuilds it"
_OF_MEMORIES = ("vector", "token_vector", "label", "alias", "version", "chunk")
"""Tables whose rows belong to a memory, by its key."""
_TERMS_VERSION = "terms_version"


def stray_problems(session: StoreSession) -> list[str]:
    """Report rows of memories that do not exist."""
    sql = session.sql
    counts = {"edges of missing memories": session.rows(sql.upkeep.count_stray_edges)[0][0]}
    for table in _OF_MEMORIES:
        counts[f"{table}s of missing memories"] = session.rows(sql.upkeep.count_strays.format(table=table))[0][0]
    return [f"{count} {what}" for what, count in counts.items() if count]


def remove_strays(session: StoreSession) -> list[str]:
    """Remove rows of memories that do not exist. Return what was done."""
    sql = session.sql
    removed = {"edge": session.run(sql.upkeep.remove_stray_edges)}
    for table in _OF_MEMORIES:
        removed[table] = session.run(sql.upkeep.remove_strays.format(table=table))
    return [f"removed {count} {table}s of missing memories" for table, count in removed.items() if count]


class IndexCheck:
    """Compares labels and terms with the memories, each of which is seen once."""

    def __init__(self, session: StoreSession) -> None:
        self._rows: set[Row] = {*session.rows(session.sql.labels.every), *session.rows(session.sql.aliases.every)}
        self._missing = 0
        self.wrong_terms = 0

    def see(self, number: int, one: Indexed) -> None:
        """Compare the labels and names of a memory of the namespace with that number."""
        own = {(number, *row) for row in (*labels(one), *aliases(one))}
        self._missing += len(own - self._rows)
        self._rows -= own

    def problems(self) -> list[str]:
        """Report what differs."""
        wrong = len(self._rows) + self._missing
        found = [f"{wrong} labels do not fit their memories; {REMEDY}"] if wrong else []
        if self.wrong_terms:
            found.append(f"the keyword index does not fit {self.wrong_terms} memories; {REMEDY}")
        return found


def rebuild_if_stale(
    session: StoreSession, alone: Callable[[], AbstractContextManager[None]], rebuild: Callable[[], object]
) -> None:
    """Rebuild if the tokenizer has changed since the keyword index was written. `alone` holds the write lock."""
    current = [(terms_version(),)]
    if session.rows(session.sql.settings.get, _TERMS_VERSION) == current:
        return
    with alone():
        # Another process may have rebuilt it during the wait for the lock.
        if session.rows(session.sql.settings.get, _TERMS_VERSION) != current:
            rebuild()
            session.run(session.sql.settings.put, _TERMS_VERSION, terms_version())
