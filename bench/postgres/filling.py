"""Copies a store's file into a server table by table, with COPY: for measurements, faster than the verbs."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import numpy as np
import psycopg
from numpy.typing import NDArray

from combray.stores.postgres import PostgresStore
from combray.stores.postgres.adapters import escaped

TABLES = ("namespace", "model", "memory", "version", "label", "edge", "vector", "alias")
Progress = Callable[[str, int], None]
_COLUMNS = """
SELECT column_name FROM information_schema.columns
WHERE table_schema = 'combray' AND table_name = %s AND is_generated = 'NEVER'
"""
_CONSTRAINTS = """
SELECT t.relname::text, c.conname::text, pg_get_constraintdef(c.oid) FROM pg_constraint AS c
JOIN pg_class AS t ON t.oid = c.conrelid
WHERE t.relnamespace = 'combray'::regnamespace AND t.relkind = 'p' AND c.contype IN ('p', 'u') ORDER BY 1, 2
"""
_INDEXES = """
SELECT i.indexname::text, i.indexdef FROM pg_indexes AS i JOIN pg_class AS c ON c.relname = i.tablename
WHERE i.schemaname = 'combray' AND c.relnamespace = 'combray'::regnamespace AND c.relkind = 'p'
AND i.indexname NOT IN (SELECT conname FROM pg_constraint WHERE connamespace = c.relnamespace) ORDER BY 1
"""
_BITS, _MOST = 15, 2**15 - 1
"""How `posting.held` packs the counts of the four index fields."""


SETTINGS = {
    "shared_buffers": "1GB",
    "max_wal_size": "8GB",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "maintenance_work_mem": "2GB",
    "max_parallel_maintenance_workers": "2",
}
"""Of a server that is filled: rows of a table that was emptied in the same transaction are not logged."""


def fill(path: str, url: str, progress: Progress) -> None:
    """Fill an empty server with the default namespace of a file. Indexes are made behind the rows."""
    with closing(PostgresStore(url)):
        pass
    # Nothing is restricted here: the owner of the tables writes.
    with (
        closing(sqlite3.connect(path)) as file,
        psycopg.connect(url, options="-csearch_path=combray,public") as own,
    ):
        constraints = own.execute(_CONSTRAINTS).fetchall()
        indexes = own.execute(_INDEXES).fetchall()
        for table, name, _ in constraints:
            own.execute(f"ALTER TABLE {table} DROP CONSTRAINT {name}".encode())
        for name, _ in indexes:
            own.execute(f"DROP INDEX {name}".encode())
        own.execute(f"TRUNCATE {', '.join((*TABLES, 'posting'))}".encode())
        for table in TABLES:
            progress(table, _copied(own, file, table))
        progress("posting", _indexed(own, file))
        for table, name, definition in constraints:
            own.execute(f"ALTER TABLE {table} ADD CONSTRAINT {name} {definition}".encode())
        for _, definition in indexes:
            # The definition is that of the parent without its partitions.
            own.execute(definition.replace(" ON ONLY ", " ON ").encode())
        progress("index", len(constraints) + len(indexes))
        own.execute("SELECT setval('memory_key', (SELECT max(key) FROM memory))")
        for table in ("namespace", "model"):
            own.execute(f"SELECT setval('{table}_id_seq', (SELECT max(id) FROM {table}))".encode())
    with psycopg.connect(url, autocommit=True) as own:
        own.execute("VACUUM (ANALYZE)")
        # Flushed here, and not during what is measured next.
        own.execute("CHECKPOINT")


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


def _written(own: psycopg.Connection, place: str, rows: Iterator[tuple[Any, ...]] | sqlite3.Cursor) -> int:
    count = 0
    with own.cursor() as cursor, cursor.copy(f"COPY {place} FROM STDIN".encode()) as copy:
        for row in rows:
            copy.write_row([escaped(value) if isinstance(value, str) else value for value in row])
            count += 1
    return count


def _indexed(own: psycopg.Connection, file: sqlite3.Connection) -> int:
    """Copy the keyword index: one list a term from the file, in the order of the primary key."""
    names = sorted(row[0] for row in file.execute("SELECT term FROM term_count"))
    count = 0
    place = "COPY posting (namespace, term, key, held) FROM STDIN (FORMAT BINARY)"
    with own.cursor() as cursor, cursor.copy(place) as copy:
        copy.write(b"PGCOPY\n\xff\r\n\x00" + bytes(8))
        for name in names:
            number, _, term = name.partition("_")
            keys, held = _packed(file, name)
            copy.write(_records(int(number, 16), term, keys, held))
            count += len(keys)
        copy.write(b"\xff\xff")
    return count


def _packed(file: sqlite3.Connection, name: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the keys of a term, ascending, and how often each field of theirs has it."""
    text = file.execute("SELECT group_concat(doc * 4 + col) FROM term_posting WHERE term = ?", (name,)).fetchone()
    codes, counts = np.unique(np.fromstring(text[0], dtype=np.int64, sep=","), return_counts=True)
    keys, first = np.unique(codes >> 2, return_index=True)
    packed = np.minimum(counts, _MOST) << (_BITS * (codes & 3))
    return keys, np.add.reduceat(packed, first)


def _records(number: int, term: str, keys: NDArray[np.int64], held: NDArray[np.int64]) -> bytes:
    """Return rows in PostgreSQL's binary COPY format: each value behind its length."""
    name = term.encode()
    kinds = (">i2", ">i4", ">i8", ">i4", f"S{len(name)}", ">i4", ">i8", ">i4", ">i8")
    rows = np.zeros(len(keys), dtype=[(f"f{place}", kind) for place, kind in enumerate(kinds)])
    for place, value in enumerate((4, 8, number, len(name), name, 8, keys, 8, held)):
        rows[f"f{place}"] = value
    return rows.tobytes()
