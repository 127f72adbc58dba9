"""Checking the file, and rebuilding what can be rebuilt from the originals."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator

from combray.errors import CorruptStoreError
from combray.language.indexing import index_entry, terms_version
from combray.stores.sqlite import indexes
from combray.stores.sqlite.encryption import errors
from combray.stores.sqlite.migrations import keyword_index_sql
from combray.stores.sqlite.postings import indexed
from combray.stores.sqlite.rows import SELECT, to_memory

_STRAY = (
    (
        "edges of missing memories",
        "FROM edge WHERE source NOT IN (SELECT key FROM memory) OR target NOT IN (SELECT key FROM memory)",
    ),
    ("vectors of missing memories", "FROM vector WHERE key NOT IN (SELECT key FROM memory)"),
    ("labels of missing memories", "FROM label WHERE key NOT IN (SELECT key FROM memory)"),
    ("versions of missing memories", "FROM version WHERE key NOT IN (SELECT key FROM memory)"),
    ("chunks of missing memories", "FROM chunk WHERE key NOT IN (SELECT key FROM memory)"),
)
_CROSSING = """
SELECT count(*) FROM edge AS e JOIN memory AS a ON a.key = e.source JOIN memory AS b ON b.key = e.target
WHERE a.namespace <> b.namespace
"""
_REMEDY = "'combray doctor --repair' rebuilds it"


def check(connection: sqlite3.Connection) -> list[str]:
    """What is wrong, in words; empty when all is sound. Reads everything: 20 s at 100,000 memories."""
    problems: list[str] = []
    damage: tuple[type[Exception], ...] = (CorruptStoreError, *errors("DatabaseError"))
    for part in (_structure_problems, _stray_problems, _index_problems):
        try:
            problems += part(connection)
        except damage as error:
            problems.append(f"the file is damaged ({error}); {_REMEDY}, or restore a backup")
    return list(dict.fromkeys(problems))


def _structure_problems(connection: sqlite3.Connection) -> list[str]:
    return [row[0] for row in connection.execute("PRAGMA integrity_check(20)") if row[0] != "ok"]


def _stray_problems(connection: sqlite3.Connection) -> list[str]:
    counted = [(what, connection.execute(f"SELECT count(*) {rows}").fetchone()[0]) for what, rows in _STRAY]
    counted.append(("edges between namespaces", connection.execute(_CROSSING).fetchone()[0]))
    return [f"{count} {what}" for what, count in counted if count]


def _index_problems(connection: sqlite3.Connection) -> list[str]:
    """Compare every label and posting with the memories' own: a flipped bit breaks no structure."""
    labels = set(connection.execute("SELECT namespace, sort, name, key, live FROM label"))
    held: Counter[int] = Counter()
    for term, document, column, place in connection.execute(
        "SELECT term, doc, cast(col AS INTEGER), offset FROM term_posting"
    ):
        held[document] += hash((term, column, place))
    wanted: Counter[int] = Counter()
    wrong_labels = 0
    for number, one in _everything(connection):
        key, _, entry = one
        own = set(indexes.labels(number, one))
        wrong_labels += len(own - labels)
        labels -= own
        for column, field in enumerate(entry.fields):
            for place, term in enumerate(field):
                wanted[key] += hash((indexed(number, term), column, place))
    wrong_terms = sum(held[key] != wanted[key] for key in held.keys() | wanted.keys())
    problems = []
    if labels or wrong_labels:
        problems.append(f"{len(labels) + wrong_labels} labels do not fit their memories; {_REMEDY}")
    if wrong_terms:
        problems.append(f"the keyword index does not fit {wrong_terms} memories; {_REMEDY}")
    return problems


def rebuild_terms_if_stale(connection: sqlite3.Connection) -> bool:
    """Rebuild the keyword index when words are cut another way than when it was written."""
    if _terms_version(connection) == terms_version():
        return False
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have rebuilt it while this one waited for the lock.
        stale = _terms_version(connection) != terms_version()
        if stale:
            _rebuild_indexes(connection)
        connection.execute(
            "INSERT OR REPLACE INTO setting (name, value) VALUES ('terms_version', ?)", (terms_version(),)
        )
        connection.execute("COMMIT")
    except BaseException:
        _roll_back(connection)
        raise
    return stale


def _terms_version(connection: sqlite3.Connection) -> str | None:
    row = connection.execute("SELECT value FROM setting WHERE name = 'terms_version'").fetchone()
    return str(row[0]) if row else None


def repair(connection: sqlite3.Connection) -> list[str]:
    """Rebuild index terms and labels; drop what points nowhere. Originals are not touched.

    Raises CorruptStoreError (by way of sqlite3.DatabaseError) when the originals themselves are damaged.
    """
    done = []
    if _damaged(connection):
        _cut_out_keyword_index(connection)
        connection.execute("VACUUM")
        done.append("wrote the whole file anew")
    connection.execute("BEGIN IMMEDIATE")
    try:
        done.append(f"rebuilt the keyword index and labels of {_rebuild_indexes(connection)} memories")
        for what, rows in _STRAY:
            count = connection.execute(f"DELETE {rows}").rowcount
            if count:
                done.append(f"removed {count} {what}")
        connection.execute("UPDATE namespace SET epoch = epoch + 1, revision = revision + 1")
        connection.execute("COMMIT")
    except BaseException:
        _roll_back(connection)
        raise
    return done


def _damaged(connection: sqlite3.Connection) -> bool:
    """Whether pages are damaged, or the keyword index too much so to be emptied."""
    try:
        if _structure_problems(connection):
            return True
        connection.execute("BEGIN IMMEDIATE")
        try:
            connection.execute("INSERT INTO term_index (term_index) VALUES ('delete-all')")
        finally:
            _roll_back(connection)
    except errors("DatabaseError"):
        return True
    return False


def _cut_out_keyword_index(connection: sqlite3.Connection) -> None:
    """Take the keyword index out of the schema without reading its pages, and make an empty one.

    DROP TABLE would walk the damaged pages. Those left over belong to nothing until VACUUM, which copies
    tables only and builds every ordinary index anew.
    """
    statements = keyword_index_sql()
    connection.execute("PRAGMA writable_schema = ON")
    try:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute(
            "DELETE FROM sqlite_master WHERE name LIKE 'term\\_index%' ESCAPE '\\' "
            "OR name IN ('term_posting', 'term_count')"
        )
        version = connection.execute("PRAGMA schema_version").fetchone()[0]
        connection.execute(f"PRAGMA schema_version = {version + 1}")
        connection.execute("COMMIT")
    except BaseException:
        _roll_back(connection)
        raise
    finally:
        connection.execute("PRAGMA writable_schema = RESET")
    for statement in statements:
        connection.execute(statement)


def _roll_back(connection: sqlite3.Connection) -> None:
    if connection.in_transaction:
        connection.execute("ROLLBACK")


def _everything(connection: sqlite3.Connection) -> Iterator[tuple[int, indexes.Indexed]]:
    """Every memory with its namespace's number and what the keyword index should hold of it."""
    for number, name in connection.execute("SELECT id, name FROM namespace").fetchall():
        keys = [row[0] for row in connection.execute("SELECT key FROM memory WHERE namespace = ?", (number,))]
        for key in keys:
            row = connection.execute(f"{SELECT} WHERE key = ?", (key,)).fetchone()
            if row is None:
                # The index of memories names a row that the table does not hold.
                raise sqlite3.DatabaseError(f"memory {key} cannot be read")
            memory = to_memory(row[1:], name)
            yield number, (key, memory, index_entry(memory))


def _rebuild_indexes(connection: sqlite3.Connection) -> int:
    connection.execute("INSERT INTO term_index (term_index) VALUES ('delete-all')")
    connection.execute("DELETE FROM label")
    count = 0
    for number, (key, memory, entry) in _everything(connection):
        count += 1
        indexes.add(connection, number, [(key, memory, entry)])
        indexes.measure(connection, key, entry)
    return count
