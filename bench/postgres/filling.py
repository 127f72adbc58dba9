"""Copies a store's file into a server table by table, with COPY: for measurements, faster than the verbs."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import psycopg

from combray.language.indexing import index_entry
from combray.stores.postgres import PostgresStore
from combray.stores.postgres.adapters import escaped
from combray.stores.postgres.postings import held
from combray.stores.rows import to_memory
from combray.stores.statements import FIELDS

TABLES = ("namespace", "model", "memory", "version", "label", "edge", "vector", "alias")
Progress = Callable[[str, int], None]
_COLUMNS = """
SELECT column_name FROM information_schema.columns
WHERE table_schema = 'combray' AND table_name = %s AND is_generated = 'NEVER'
"""


def fill(path: str, url: str, progress: Progress) -> None:
    """Fill an empty server with the default namespace of a file."""
    with closing(PostgresStore(url)):
        pass
    # Nothing is restricted here: the owner of the tables writes.
    with (
        closing(sqlite3.connect(path)) as file,
        psycopg.connect(url, options="-csearch_path=combray,public") as own,
    ):
        for table in TABLES:
            count = _copied(own, file, table)
            progress(table, count)
        count = _indexed(own, file)
        progress("posting", count)
        own.execute("SELECT setval('memory_key', (SELECT max(key) FROM memory))")
        for table in ("namespace", "model"):
            own.execute(f"SELECT setval('{table}_id_seq', (SELECT max(id) FROM {table}))".encode())
    with psycopg.connect(url, autocommit=True) as own:
        own.execute("ANALYZE")


def _copied(own: psycopg.Connection, file: sqlite3.Connection, table: str) -> int:
    there = {row[1] for row in file.execute(f"PRAGMA table_info({table})")}
    columns = [row[0] for row in own.execute(_COLUMNS, (table,)).fetchall() if row[0] in there]
    wanted = list(columns)
    if table == "edge":
        # The file knows an edge's namespace by its ends.
        columns.append("namespace")
        wanted.append("1")
    rows = file.execute(f"SELECT {', '.join(wanted)} FROM {table}")
    return _written(own, f"{table} ({', '.join(columns)})", rows)


def _indexed(own: psycopg.Connection, file: sqlite3.Connection) -> int:
    def rows() -> Iterator[tuple[Any, ...]]:
        for row in file.execute(f"SELECT key, {', '.join(FIELDS)} FROM memory"):
            for term, packed in held(index_entry(to_memory(row, "default"))).items():
                yield 1, term, row[0], packed

    return _written(own, "posting (namespace, term, key, held)", rows())


def _written(own: psycopg.Connection, place: str, rows: Iterator[tuple[Any, ...]] | sqlite3.Cursor) -> int:
    count = 0
    with own.cursor() as cursor, cursor.copy(f"COPY {place} FROM STDIN".encode()) as copy:
        for row in rows:
            copy.write_row([escaped(value) if isinstance(value, str) else value for value in row])
            count += 1
    return count
