"""What the owner of the tables does: migrations, integrity checks, repair, and making the HNSW index.

Migrations are numbered SQL files, applied in one transaction. Starting servers wait for one another. Derived rows
are rebuilt from the memories. The HNSW index is pgvector's extension, a column that a trigger fills, and an index
for each model and partition.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

from psycopg import Error
from psycopg.errors import DiskFull

from combray.errors import CorruptStoreError, NewerSchemaError, ReadOnlyStoreError, StoreError
from combray.language.indexing import index_entry
from combray.stores import indexes
from combray.stores.indexes import (
    IndexCheck,
    Indexed,
    remove_strays,
    stray_problems,
)
from combray.stores.postgres.session import PostgresSession, held
from combray.stores.postgres.sql import sql
from combray.stores.rows import to_memory
from combray.stores.session import NamespaceState

_VERSION = "schema"
_AT_ONCE = 500
"""Memories that are read and indexed together."""
LEAST_VERSION = (0, 8)
"""The first pgvector with iterative scans, without which a filter starves the index."""
BUILT_AT_OPENING = 10_000
"""Up to so many vectors the index is made when the store is opened; for more, by `combray doctor --repair`."""
_NODE = 720
"""Bytes of a node of the graph beside its vector, with m = 16: 40 MiB hold 34,192 nodes of 512-byte vectors."""
_MOST_MEMORY = 2048
"""Megabytes of maintenance_work_mem at the most. A graph that does not fit is built several times slower."""
_PAGES = 1000
"""Pages of a table that are filled in one transaction."""


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
    with _alone(session, schema):
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
    indexes.rebuild_if_stale(session, lambda: _alone(session, schema), lambda: _rebuild_indexes(session))


def repair(session: PostgresSession, schema: str) -> list[str]:
    """Rebuild index terms and labels, and remove dangling rows. Memories are not changed."""
    with _alone(session, schema):
        done = [f"rebuilt the keyword index and labels of {_rebuild_indexes(session)} memories"]
        done += remove_strays(session)
    return done


@contextmanager
def _alone(session: PostgresSession, schema: str) -> Iterator[None]:
    """Open a transaction, and wait until no other process does upkeep."""
    with session.connection.transaction():
        session.rows(sql.server.lock, schema)
        yield


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
    def batches() -> Iterator[tuple[PostgresSession, list[Indexed]]]:
        for space in _namespaces(session):
            memories = _memories(space)
            while batch := list(islice(memories, _AT_ONCE)):
                yield space, batch
            space.flush()

    count = indexes.rebuild(session, batches())
    session.run(sql.namespaces.grow_all)
    return count


def prepare_index(session: PostgresSession, schema: str, location: str, *, read_only: bool) -> None:
    """Add the column for the index. Raises StoreError if the server has no pgvector of the least version."""
    if read_only:
        if not _is_prepared(session):
            raise StoreError(f"{location}: vectors=hnsw is not set up. Open the store once with write access.")
        return
    _check_extension(session, location)
    if not _is_prepared(session):
        with _alone(session, schema):
            if not _is_prepared(session):
                session.connection.execute(sql.near.prepare.encode())
    if not index_problems(session):
        return
    if len(session.rows(sql.near.some_vectors, BUILT_AT_OPENING + 1)) <= BUILT_AT_OPENING:
        build_index(session, schema, wait=False)


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


def build_index(session: PostgresSession, schema: str, *, wait: bool = True) -> list[str]:
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
        for name, table, model, dimensions in _missing_indexes(session):
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


def index_problems(session: PostgresSession) -> list[str]:
    """Return what is missing for fast searches. Without it searches are exact, and slow."""
    if session.rows(sql.near.unfilled) or _missing_indexes(session):
        return ["the HNSW index is not complete; 'combray doctor --repair' makes it"]
    return []


def _is_prepared(session: PostgresSession) -> bool:
    return bool(session.rows(sql.near.is_prepared)[0][0])


def _missing_indexes(session: PostgresSession) -> list[tuple[str, str, int, int]]:
    """Return name, table, model and dimensions of every index that is missing."""
    there = {row[0] for row in session.rows(sql.near.indexes)}
    tables = [row[0] for row in session.rows(sql.near.partitions)]
    wanted = [
        (f"near_{model}_{table}", table, model, dimensions)
        for model, dimensions in session.rows(sql.near.models)
        for table in tables
    ]
    return [each for each in wanted if each[0] not in there]
