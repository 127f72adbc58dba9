"""Making the HNSW index: pgvector's extension, a column that a trigger fills, an index a model and partition."""

from __future__ import annotations

from psycopg import Error
from psycopg.errors import DiskFull

from combray.errors import StoreError
from combray.stores.postgres.session import PostgresSession
from combray.stores.postgres.sql import sql

LEAST_VERSION = (0, 8)
"""The first pgvector with iterative scans, without which a filter starves the index."""
AT_ONCE = 10_000
"""Up to so many vectors the index is made when the store is opened; for more, by `combray doctor --repair`."""
_NODE = 720
"""Bytes of a node of the graph beside its vector, with m = 16: 40 MiB hold 34,192 nodes of 512-byte vectors."""
_MOST_MEMORY = 2048
"""Megabytes of maintenance_work_mem at the most. A graph that does not fit is built several times slower."""
_PAGES = 1000
"""Pages of a table that are filled in one transaction."""


def prepare(session: PostgresSession, schema: str, location: str, *, read_only: bool) -> None:
    """Add the column for the index. Raises StoreError if the server has no pgvector of the least version."""
    if read_only:
        if not _is_prepared(session):
            raise StoreError(f"{location}: vectors=hnsw is not set up. Open the store once with write access.")
        return
    _check_extension(session, location)
    if not _is_prepared(session):
        with session.connection.transaction():
            session.rows(sql.server.lock, schema)
            if not _is_prepared(session):
                session.connection.execute(sql.near.prepare.encode())
    if problems(session) and len(session.rows(sql.near.some_vectors, AT_ONCE + 1)) <= AT_ONCE:
        build(session, schema, wait=False)


def _check_extension(session: PostgresSession, location: str) -> None:
    wanted = ".".join(map(str, LEAST_VERSION))
    remedy = "docs/howto/use-postgresql.md shows how to install it; vectors=exact needs no extension"
    if not session.rows(sql.near.installed):
        if not session.rows(sql.near.available):
            raise StoreError(
                f"{location}: vectors=hnsw needs the extension pgvector {wanted} or later, which the server does "
                f"not have; {remedy}."
            )
        try:
            session.connection.execute(sql.near.install.encode())
        except Error as error:
            raise StoreError(
                f"{location}: vectors=hnsw needs the extension pgvector, and this user may not create it "
                f"({' '.join(str(error).split())}). Let an administrator run: CREATE EXTENSION vector."
            ) from error
    ((version,),) = session.rows(sql.near.installed)
    if tuple(int(part) for part in str(version).split(".")[:2]) < LEAST_VERSION:
        raise StoreError(
            f"{location}: vectors=hnsw needs pgvector {wanted} or later, the server has {version}; {remedy}."
        )


def build(session: PostgresSession, schema: str, *, wait: bool = True) -> list[str]:
    """Fill the column and make the missing indexes. Return what was done.

    `wait`: others can write meanwhile, and every transaction that is open must end first.
    """
    filled = 0
    for (table,) in session.rows(sql.near.partitions):
        ((pages,),) = session.rows(sql.near.pages, table)
        for page in range(0, int(pages), _PAGES):
            statement = sql.near.fill.format(table=table)
            filled += session.run(statement, f"({page},0)", f"({page + _PAGES},0)")
    made = 0
    # One at a time: two builds of one index would wait for each other.
    session.rows(sql.near.lock, schema)
    try:
        for name, table, model, dimensions in _missing(session):
            how = "CONCURRENTLY" if wait else ""
            text = sql.near.index.format(how=how, name=name, table=table, model=model, dimensions=dimensions)
            session.rows(sql.near.memory, table, 2 * dimensions + _NODE, _MOST_MEMORY)
            try:
                _make(session, name, text)
            except DiskFull:
                # Parallel builds share memory, of which a container may have 64 MB only.
                session.connection.execute("SET max_parallel_maintenance_workers = 0")
                _make(session, name, text)
            made += 1
    finally:
        session.rows(sql.near.unlock, schema)
    return [f"filled the HNSW column of {filled} vectors and made {made} HNSW indexes"] if filled or made else []


def _make(session: PostgresSession, name: str, text: str) -> None:
    session.connection.execute(sql.near.drop_index.format(name=name).encode())
    session.connection.execute(text.encode())


def problems(session: PostgresSession) -> list[str]:
    """Return what is missing for fast searches. Without it searches are exact, and slow."""
    if session.rows(sql.near.unfilled) or _missing(session):
        return ["the HNSW index is not complete; 'combray doctor --repair' makes it"]
    return []


def _is_prepared(session: PostgresSession) -> bool:
    return bool(session.rows(sql.near.is_prepared)[0][0])


def _missing(session: PostgresSession) -> list[tuple[str, str, int, int]]:
    """Return name, table, model and dimensions of every index that is missing."""
    there = {row[0] for row in session.rows(sql.near.indexes)}
    tables = [row[0] for row in session.rows(sql.near.partitions)]
    wanted = [
        (f"near_{model}_{table}", table, model, dimensions)
        for model, dimensions in session.rows(sql.near.models)
        for table in tables
    ]
    return [each for each in wanted if each[0] not in there]
