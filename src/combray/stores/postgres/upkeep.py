"""Integrity checks and repair: derived rows are rebuilt from the memories."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from combray.language.indexing import index_entry
from combray.stores import indexes
from combray.stores.indexes import (
    IndexCheck,
    Indexed,
    is_stale,
    note_terms_version,
    remove_strays,
    stray_problems,
)
from combray.stores.postgres.session import PostgresSession
from combray.stores.postgres.sql import sql
from combray.stores.postgres.terms import held
from combray.stores.rows import to_memory
from combray.stores.session import NamespaceState

_AT_ONCE = 500
"""Memories that are read and indexed together."""


def check(session: PostgresSession) -> list[str]:
    """Return the problems found. Reads everything."""
    found = IndexCheck(session)
    for space in _namespaces(session):
        postings: dict[int, dict[str, int]] = {}
        for term, key, packed in space.of_rows(sql.terms.of_namespace):
            postings.setdefault(key, {})[term] = packed
        for one in _memories(space):
            found.see(space.number or 0, one)
            found.wrong_terms += postings.pop(one[0], {}) != held(one[2])
        found.wrong_terms += len(postings)
    return stray_problems(session) + found.problems()


def rebuild_terms_if_stale(session: PostgresSession, schema: str) -> None:
    """Rebuild the keyword index if the tokenizer has changed since it was written."""
    if is_stale(session):
        with session.connection.transaction():
            session.rows(sql.server.lock, schema)
            # Another process may have rebuilt it during the wait for the lock.
            if is_stale(session):
                _rebuild_indexes(session)
                session.run(sql.namespaces.grow_all)
                note_terms_version(session)


def repair(session: PostgresSession, schema: str) -> list[str]:
    """Rebuild index terms and labels, and remove dangling rows. Memories are not changed."""
    with session.connection.transaction():
        session.rows(sql.server.lock, schema)
        done = [f"rebuilt the keyword index and labels of {_rebuild_indexes(session)} memories"]
        done += remove_strays(session)
        session.run(sql.namespaces.grow_all)
    return done


def _namespaces(session: PostgresSession) -> Iterator[PostgresSession]:
    for number, name in session.rows(sql.namespaces.every):
        yield PostgresSession(session.connection, session.pool, name, NamespaceState(number, 0, 0, 0))


def _memories(space: PostgresSession) -> Iterator[Indexed]:
    """Yield every memory of a namespace with its correct keyword index entry."""
    keys = [row[0] for row in space.of_rows(sql.memories.keys)]
    for start in range(0, len(keys), _AT_ONCE):
        for row in space.of_rows(sql.memories.whole, keys[start : start + _AT_ONCE]):
            memory = to_memory(row, space.name)
            yield row[0], memory, index_entry(memory)


def _rebuild_indexes(session: PostgresSession) -> int:
    for statement in (sql.terms.remove_all, sql.labels.remove_all, sql.aliases.remove_all):
        session.run(statement)
    count = 0
    for space in _namespaces(session):
        memories = _memories(space)
        while batch := list(islice(memories, _AT_ONCE)):
            indexes.measure(space, [(key, entry) for key, _, entry in batch])
            indexes.rehash(space, [each[:2] for each in batch])
            indexes.add(space, batch)
            count += len(batch)
        space.flush()
    return count
