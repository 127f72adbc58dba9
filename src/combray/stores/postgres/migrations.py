"""Schema migrations: numbered SQL files, applied in one transaction. Starting servers wait for one another."""

from __future__ import annotations

from pathlib import Path

from combray.errors import CorruptStoreError, NewerSchemaError, ReadOnlyStoreError
from combray.stores.postgres.session import PostgresSession
from combray.stores.postgres.sql import sql

_VERSION = "schema"


def migrations() -> list[tuple[int, str]]:
    """Return (number, SQL) of every migration, in order."""
    folder = Path(__file__).parent / "migrations"
    return [
        (int(path.stem.partition("_")[0]), path.read_text(encoding="utf-8"))
        for path in sorted(folder.glob("*.sql"))
    ]


def migrate(session: PostgresSession, schema: str, location: str, *, read_only: bool) -> None:
    """Apply missing migrations. Raises for another program's schema and for a newer Combray's."""
    steps = migrations()
    newest = steps[-1][0]
    if (version := _version(session, schema, location)) == newest:
        return
    if version > newest:
        problem = f"written by a newer Combray (schema {version}, this one supports {newest})"
        raise NewerSchemaError(f"{location}: {problem}. Update Combray.")
    if read_only:
        raise ReadOnlyStoreError(
            f"{location}: has schema {version}, this Combray needs {newest}. Open it once with write access."
        )
    with session.connection.transaction():
        session.rows(sql.server.lock, schema)
        # Read again: another process may have migrated during the wait for the lock.
        version = _version(session, schema, location)
        if version == newest:
            return
        if not version:
            session.connection.execute(f"CREATE SCHEMA IF NOT EXISTS {schema}".encode())
        for number, text in steps:
            if number > version:
                session.connection.execute(text.encode())
        session.connection.execute(sql.server.tables_of_role.encode())
        session.run(sql.settings.put, _VERSION, str(newest))


def _version(session: PostgresSession, schema: str, location: str) -> int:
    """Return the number of the last applied migration; 0 for a schema that does not exist."""
    ((exists, ours),) = session.rows(sql.server.schema_exists, schema)
    if not ours:
        if exists and schema != "public":
            raise CorruptStoreError(
                f"{location}: the schema {schema} is not Combray's. Name another: ?schema=NAME in the URL."
            )
        return 0
    found = session.rows(sql.settings.get, _VERSION)
    return int(found[0][0]) if found else 0
