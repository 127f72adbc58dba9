"""Schema migrations: numbered SQL files, applied all or none, after a backup of the file."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from functools import cache
from pathlib import Path

from combray.errors import CorruptStoreError, NewerSchemaError
from combray.stores.sqlite.connection import APPLICATION_ID, MEMORY, opened, writing
from combray.stores.sqlite.encryption import Key
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
