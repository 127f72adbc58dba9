"""Schema migrations, integrity checks and repair.

Migrations are numbered SQL files, applied all or none, after a backup of the file. Derived rows are rebuilt from
the memories.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import cache
from pathlib import Path

from combray.errors import CorruptStoreError, NewerSchemaError
from combray.language.indexing import index_entry
from combray.stores import indexes
from combray.stores.indexes import (
    REMEDY,
    IndexCheck,
    Indexed,
    remove_strays,
    stray_problems,
)
from combray.stores.rows import to_memory
from combray.stores.sqlite.connection import APPLICATION_ID, MEMORY, opened, writing
from combray.stores.sqlite.encryption import Key, errors
from combray.stores.sqlite.postings import term
from combray.stores.sqlite.session import SqliteSession
from combray.stores.sqlite.sql import sql

Migration = tuple[int, str, str]


@cache
def migrations() -> tuple[Migration, ...]:
    """Return (number, name, SQL) of every migration, in order."""
    found = []
    for path in (Path(__file__).parent / "migrations").glob("*.sql"):
        number, _, name = path.stem.partition("_")
        found.append((int(number), name, path.read_text(encoding="utf-8")))
    return tuple(sorted(found))


def keyword_index_sql() -> list[str]:
    """Return the statements that create the keyword index and its views."""
    every = (each for _, _, sql in migrations() for each in _statements(sql))
    return [each for each in every if "CREATE VIRTUAL TABLE term_" in each]


def schema_version(connection: sqlite3.Connection) -> int:
    """Return the number of the last applied migration; 0 for an empty file."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def check_identity(connection: sqlite3.Connection, path: str, newest: int) -> int:
    """Return the schema version. Raises for another program's database and for a newer Combray's."""
    version, application, tables = connection.execute(sql.file.identity).fetchone()
    if tables and application != APPLICATION_ID:
        raise CorruptStoreError(f"{path}: is an SQLite database of another program. Name another file.")
    if version > newest:
        problem = f"written by a newer Combray (schema {version}, this one supports {newest})"
        raise NewerSchemaError(f"{path}: {problem}. Update Combray.")
    return int(version)


def migrate(
    connection: sqlite3.Connection,
    path: str,
    steps: Sequence[Migration] | None = None,
    key: Key | None = None,
    busy_timeout: float | None = None,
) -> list[str]:
    """Apply missing migrations and return their names. The previous file is kept as PATH.backup-vN."""
    steps = migrations() if steps is None else steps
    newest = steps[-1][0]
    if check_identity(connection, path, newest) == newest:
        return []
    if path == MEMORY and steps is migrations():
        _empty().backup(connection)
        return [name for _, name, _ in steps]
    with writing(connection, path, busy_timeout):
        # Read again: another process may have migrated during the wait for the lock.
        version = schema_version(connection)
        missing = [(number, name, sql) for number, name, sql in steps if number > version]
        if missing and version and path != MEMORY:
            target = Path(f"{path}.backup-v{version}")
            unfinished = Path(f"{target}.unfinished")
            unfinished.unlink(missing_ok=True)
            # Separate connections: SQLite cannot copy from one with an open write transaction.
            with closing(opened(path, key)) as source, closing(opened(str(unfinished), key)) as copy:
                source.backup(copy)
                # The copy inherits WAL mode; as one plain file it can be moved.
                copy.execute("PRAGMA journal_mode = DELETE")
            unfinished.replace(target)
        for number, _, sql in missing:
            for statement in _statements(sql):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {number}")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    return [name for _, name, _ in missing]


@cache
def _empty() -> sqlite3.Connection:
    """Return an empty store. A store in memory begins as its copy: each ALTER would read the whole schema."""
    connection = sqlite3.connect(MEMORY, isolation_level=None, check_same_thread=False)
    migrate(connection, "an empty store")
    return connection


def _statements(sql: str) -> list[str]:
    """Split into statements: `executescript` would commit the open transaction."""
    found, statement = [], ""
    for line in sql.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            found.append(statement)
            statement = ""
    return found


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
    ((crossing,),) = connection.execute(sql.upkeep.count_crossing_edges)
    return stray_problems(SqliteSession(connection, "")) + (
        [f"{crossing} edges between namespaces"] if crossing else []
    )


def _index_problems(connection: sqlite3.Connection) -> list[str]:
    """Compare every label and posting with the memories: a flipped bit does not break the structure."""
    check = IndexCheck(SqliteSession(connection, ""))
    held: Counter[int] = Counter()
    for text, document, column, place in connection.execute(sql.terms.every):
        held[document] += hash((text, column, place))
    wanted: Counter[int] = Counter()
    for session, one in _everything(connection):
        key, _, entry = one
        check.see(session.number or 0, one)
        for column, field in enumerate(entry.fields):
            for place, text in enumerate(field):
                wanted[key] += hash((term(session.number or 0, text), column, place))
    check.wrong_terms = sum(held[key] != wanted[key] for key in held.keys() | wanted.keys())
    return check.problems()


def rebuild_terms_if_stale(connection: sqlite3.Connection) -> None:
    """Rebuild the keyword index if the tokenizer has changed since it was written."""
    session = SqliteSession(connection, "")
    indexes.rebuild_if_stale(session, lambda: writing(connection), lambda: _rebuild_indexes(connection))


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
        done += remove_strays(SqliteSession(connection, ""))
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


def _everything(connection: sqlite3.Connection) -> Iterator[tuple[SqliteSession, Indexed]]:
    """Yield every memory with its namespace and its correct keyword index entry."""
    for _, name in connection.execute(sql.namespaces.every).fetchall():
        session = SqliteSession(connection, name)
        for (key,) in session.of_rows(sql.memories.keys):
            row = connection.execute(sql.memories.by_key, (key,)).fetchone()
            if row is None:
                # The index names a row that the table does not contain.
                raise sqlite3.DatabaseError(f"memory {key} cannot be read")
            memory = to_memory(row, name)
            yield session, (key, memory, index_entry(memory))


def _rebuild_indexes(connection: sqlite3.Connection) -> int:
    every = ((session, [one]) for session, one in _everything(connection))
    return indexes.rebuild(SqliteSession(connection, ""), every)
