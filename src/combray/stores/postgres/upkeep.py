"""Integrity checks and repair: derived rows are rebuilt from the memories."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from combray.language.indexing import index_entry, terms_version
from combray.stores import derived_rows
from combray.stores.derived_rows import OF_MEMORIES, REMEDY, Indexed
from combray.stores.postgres import indexes, sql
from combray.stores.postgres.postings import held
from combray.stores.postgres.session import Session, State
from combray.stores.rows import to_memory

_TERMS_VERSION = "terms_version"
_AT_ONCE = 500
"""Memories that are read and indexed together."""


def check(session: Session) -> list[str]:
    """Return the problems found. Reads everything."""
    problems = []
    counts = {"edges of missing memories": session.rows(sql.upkeep.count_stray_edges)[0][0]}
    for table in OF_MEMORIES:
        statement = sql.upkeep.count_strays.format(table=table)
        counts[f"{table}s of missing memories"] = session.rows(statement)[0][0]
    problems += [f"{count} {what}" for what, count in counts.items() if count]
    labels = set(session.rows(sql.labels.every)) | set(session.rows(sql.aliases.every))
    wrong_labels = wrong_terms = 0
    for space in _namespaces(session):
        postings: dict[int, dict[str, int]] = {}
        for term, key, packed in space.of_rows(sql.terms.of_namespace):
            postings.setdefault(key, {})[term] = packed
        for one in _memories(space):
            number = space.number or 0
            own = {*derived_rows.labels(number, one), *derived_rows.aliases(number, one)}
            wrong_labels += len(own - labels)
            labels -= own
            wrong_terms += postings.pop(one[0], {}) != held(one[2])
        wrong_terms += len(postings)
    if labels or wrong_labels:
        problems.append(f"{len(labels) + wrong_labels} labels do not fit their memories; {REMEDY}")
    if wrong_terms:
        problems.append(f"the keyword index does not fit {wrong_terms} memories; {REMEDY}")
    return problems


def rebuild_terms_if_stale(session: Session, schema: str) -> None:
    """Rebuild the keyword index if the tokenizer has changed since it was written."""
    if _terms_version(session) == terms_version():
        return
    with session.connection.transaction():
        session.rows(sql.server.lock, schema)
        # Another process may have rebuilt it during the wait for the lock.
        if _terms_version(session) != terms_version():
            _rebuild_indexes(session)
            session.run(sql.namespaces.grow_all)
            session.run(sql.settings.put, _TERMS_VERSION, terms_version())


def _terms_version(session: Session) -> str | None:
    found = session.rows(sql.settings.get, _TERMS_VERSION)
    return str(found[0][0]) if found else None


def repair(session: Session, schema: str) -> list[str]:
    """Rebuild index terms and labels, and remove dangling rows. Memories are not changed."""
    with session.connection.transaction():
        session.rows(sql.server.lock, schema)
        done = [f"rebuilt the keyword index and labels of {_rebuild_indexes(session)} memories"]
        removed = {"edge": session.run(sql.upkeep.remove_stray_edges)}
        for table in OF_MEMORIES:
            removed[table] = session.run(sql.upkeep.remove_strays.format(table=table))
        done += (f"removed {count} {table}s of missing memories" for table, count in removed.items() if count)
        session.run(sql.namespaces.grow_all)
    return done


def _namespaces(session: Session) -> Iterator[Session]:
    for number, name in session.rows(sql.namespaces.every):
        yield Session(session.connection, session.pool, name, State(number, 0, 0, 0))


def _memories(space: Session) -> Iterator[Indexed]:
    """Yield every memory of a namespace with its correct keyword index entry."""
    keys = [row[0] for row in space.of_rows(sql.memories.keys)]
    for start in range(0, len(keys), _AT_ONCE):
        for row in space.of_rows(sql.memories.whole, keys[start : start + _AT_ONCE]):
            memory = to_memory(row, space.name)
            yield row[0], memory, index_entry(memory)


def _rebuild_indexes(session: Session) -> int:
    for statement in (sql.terms.remove_all, sql.labels.remove_all, sql.aliases.remove_all):
        session.run(statement)
    count = 0
    for space in _namespaces(session):
        memories = _memories(space)
        while batch := list(islice(memories, _AT_ONCE)):
            indexes.measure(space, [(key, entry) for key, _, entry in batch])
            indexes.add(space, batch)
            count += len(batch)
        space.flush()
    return count
