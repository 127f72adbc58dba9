"""Integrity checks and repair: derived rows are rebuilt from the memories."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator

from combray.errors import CorruptStoreError
from combray.language.indexing import index_entry, terms_version
from combray.stores import derived_rows
from combray.stores.derived_rows import OF_MEMORIES, REMEDY, Indexed
from combray.stores.rows import to_memory
from combray.stores.sqlite import indexes, sql
from combray.stores.sqlite.connection import writing
from combray.stores.sqlite.encryption import errors
from combray.stores.sqlite.migrations import keyword_index_sql
from combray.stores.sqlite.namespace import term

_TERMS_VERSION = "terms_version"


def check(connection: sqlite3.Connection) -> list[str]:
    """Return the problems found. Reads everything: 20 s at 100,000 memories."""
    problems: list[str] = []
    damage: tuple[type[Exception], ...] = (CorruptStoreError, *errors("DatabaseError"))
    for part in (_structure_problems, _stray_problems, _index_problems):
        try:
            problems += part(connection)
        except damage as error:
            problems.append(f"the file is damaged ({error}); {REMEDY}, or restore a backup")
    return list(dict.fromkeys(problems))


def _structure_problems(connection: sqlite3.Connection) -> list[str]:
    return [row[0] for row in connection.execute("PRAGMA integrity_check(20)") if row[0] != "ok"]


def _stray_problems(connection: sqlite3.Connection) -> list[str]:
    counted = {"edges of missing memories": sql.upkeep.count_stray_edges}
    for table in OF_MEMORIES:
        counted[f"{table}s of missing memories"] = sql.upkeep.count_strays.format(table=table)
    counted["edges between namespaces"] = sql.upkeep.count_crossing_edges
    counts = {what: connection.execute(statement).fetchone()[0] for what, statement in counted.items()}
    return [f"{count} {what}" for what, count in counts.items() if count]


def _index_problems(connection: sqlite3.Connection) -> list[str]:
    """Compare every label and posting with the memories: a flipped bit does not break the structure."""
    labels = set(connection.execute(sql.labels.every)) | set(connection.execute(sql.aliases.every))
    held: Counter[int] = Counter()
    for text, document, column, place in connection.execute(sql.terms.every):
        held[document] += hash((text, column, place))
    wanted: Counter[int] = Counter()
    wrong_labels = 0
    for number, one in _everything(connection):
        key, _, entry = one
        own = {*derived_rows.labels(number, one), *derived_rows.aliases(number, one)}
        wrong_labels += len(own - labels)
        labels -= own
        for column, field in enumerate(entry.fields):
            for place, text in enumerate(field):
                wanted[key] += hash((term(number, text), column, place))
    wrong_terms = sum(held[key] != wanted[key] for key in held.keys() | wanted.keys())
    problems = []
    if labels or wrong_labels:
        problems.append(f"{len(labels) + wrong_labels} labels do not fit their memories; {REMEDY}")
    if wrong_terms:
        problems.append(f"the keyword index does not fit {wrong_terms} memories; {REMEDY}")
    return problems


def rebuild_terms_if_stale(connection: sqlite3.Connection) -> bool:
    """Rebuild the keyword index if the tokenizer has changed since it was written."""
    if _terms_version(connection) == terms_version():
        return False
    with writing(connection):
        # Another process may have rebuilt it during the wait for the lock.
        stale = _terms_version(connection) != terms_version()
        if stale:
            _rebuild_indexes(connection)
        connection.execute(sql.settings.put, (_TERMS_VERSION, terms_version()))
    return stale


def _terms_version(connection: sqlite3.Connection) -> str | None:
    row = connection.execute(sql.settings.get, (_TERMS_VERSION,)).fetchone()
    return str(row[0]) if row else None


def repair(connection: sqlite3.Connection) -> list[str]:
    """Rebuild index terms and labels, and remove dangling rows. Memories are not changed.

    Raises sqlite3.DatabaseError, which becomes CorruptStoreError, if the memories themselves are damaged.
    """
    done = []
    if _damaged(connection):
        _cut_out_keyword_index(connection)
        connection.execute("VACUUM")
        done.append("rewrote the whole file")
    with writing(connection):
        done.append(f"rebuilt the keyword index and labels of {_rebuild_indexes(connection)} memories")
        removed = {"edge": connection.execute(sql.upkeep.remove_stray_edges).rowcount}
        for table in OF_MEMORIES:
            removed[table] = connection.execute(sql.upkeep.remove_strays.format(table=table)).rowcount
        done += (f"removed {count} {table}s of missing memories" for table, count in removed.items() if count)
        connection.execute(sql.namespaces.grow_all)
    return done


def _damaged(connection: sqlite3.Connection) -> bool:
    """Return whether pages are damaged, or the keyword index cannot be emptied."""
    try:
        if _structure_problems(connection):
            return True
        connection.execute("BEGIN IMMEDIATE")
        try:
            connection.execute(sql.terms.remove_all)
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
    except errors("DatabaseError"):
        return True
    return False


def _cut_out_keyword_index(connection: sqlite3.Connection) -> None:
    """Replace the keyword index by an empty one without reading its pages.

    DROP TABLE would read the damaged pages. The orphaned pages remain until VACUUM, which copies tables only and
    rebuilds every ordinary index.
    """
    statements = keyword_index_sql()
    connection.execute("PRAGMA writable_schema = ON")
    try:
        with writing(connection):
            connection.execute(sql.upkeep.cut_out_keyword_index)
            version = connection.execute("PRAGMA schema_version").fetchone()[0]
            connection.execute(f"PRAGMA schema_version = {version + 1}")
    finally:
        connection.execute("PRAGMA writable_schema = RESET")
    for statement in statements:
        connection.execute(statement)


def _everything(connection: sqlite3.Connection) -> Iterator[tuple[int, Indexed]]:
    """Yield every memory with its namespace's number and its correct keyword index entry."""
    for number, name in connection.execute(sql.namespaces.every).fetchall():
        keys = [row[0] for row in connection.execute(sql.memories.keys, (number,))]
        for key in keys:
            row = connection.execute(sql.memories.by_key, (key,)).fetchone()
            if row is None:
                # The index names a row that the table does not contain.
                raise sqlite3.DatabaseError(f"memory {key} cannot be read")
            memory = to_memory(row, name)
            yield number, (key, memory, index_entry(memory))


def _rebuild_indexes(connection: sqlite3.Connection) -> int:
    connection.execute(sql.terms.remove_all)
    connection.execute(sql.labels.remove_all)
    connection.execute(sql.aliases.remove_all)
    count = 0
    for number, (key, memory, entry) in _everything(connection):
        count += 1
        indexes.add(connection, number, [(key, memory, entry)])
        indexes.measure(connection, key, entry)
    return count
