"""pgvector's HNSW index on the vectors of a store: how fast it is, and what it finds of the ten nearest."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import psycopg
from numpy.typing import NDArray

from bench.speed.timing import Latency, summarised

Matrix = NDArray[np.float32]
TOP = 10
EF_SEARCH = 100
GROUPS, PART = 100, 7
"""A filter on one of these groups lets 1 % of the rows through, and the one that is asked for."""

_SETUP = """
CREATE EXTENSION IF NOT EXISTS vector;
DROP TABLE IF EXISTS near;
CREATE TABLE near (key bigint PRIMARY KEY, part int NOT NULL, code halfvec({dimensions}) NOT NULL)
"""
_INDEX = "CREATE INDEX near_code ON near USING hnsw (code halfvec_cosine_ops) WITH (m = 16, ef_construction = 64)"
_ASK = "SELECT key FROM near {where} ORDER BY code <=> %s::halfvec LIMIT 10"


@dataclass(frozen=True, slots=True)
class Found:
    """How long a query takes, and which share of the exact ten it finds."""

    name: str
    latency: Latency
    overlap: float


def measure(url: str, rows: Matrix, queries: Matrix) -> tuple[float, list[Found]]:
    """Build the index; return the seconds that took, and the figures with and without a filter of 1 %."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(_SETUP.format(dimensions=rows.shape[1]).encode())
        with connection.cursor() as cursor, cursor.copy("COPY near FROM STDIN (FORMAT BINARY)") as copy:
            copy.write(b"PGCOPY\n\xff\r\n\x00" + bytes(8))
            for record in _records(rows):
                copy.write(record)
            copy.write(b"\xff\xff")
        connection.execute("SET maintenance_work_mem = '2GB'")
        started = time.perf_counter()
        connection.execute(_INDEX)
        built = time.perf_counter() - started
        connection.execute("ANALYZE near")
        places = np.arange(len(rows))
        every, some = _exact(rows, queries, places), _exact(rows, queries, places[places % GROUPS == PART])
        filtered = "HNSW, filter of 1 %"
        found = [
            _asked(connection, "exact in SQL", queries, every, index=False),
            _asked(connection, "HNSW", queries, every, index=True),
            _asked(connection, f"{filtered}, iterative scan", queries, some, is_filtered=True, index=True),
            _asked(
                connection, f"{filtered}, one scan", queries, some, is_filtered=True, index=True, iterative=False
            ),
        ]
        return built, found


def _records(rows: Matrix) -> Iterator[bytes]:
    """The rows in PostgreSQL's binary COPY format."""
    halves = rows.astype(">f2")
    size = rows.shape[1]
    for key, half in enumerate(halves):
        code = size.to_bytes(2, "big") + bytes(2) + half.tobytes()
        yield (
            (3).to_bytes(2, "big")
            + (8).to_bytes(4, "big") + key.to_bytes(8, "big")
            + (4).to_bytes(4, "big") + (key % GROUPS).to_bytes(4, "big")
            + len(code).to_bytes(4, "big") + code
        )  # fmt: skip


def _exact(rows: Matrix, queries: Matrix, among: NDArray[np.int64]) -> list[set[int]]:
    """Return the places of the ten nearest to each query."""
    own = rows if len(among) == len(rows) else rows[among]
    return [set(among[np.argpartition(-(own @ query), TOP)[:TOP]].tolist()) for query in queries]


def _asked(
    connection: psycopg.Connection,
    name: str,
    queries: Matrix,
    exact: list[set[int]],
    *,
    index: bool,
    is_filtered: bool = False,
    iterative: bool = True,
) -> Found:
    connection.execute(f"SET enable_indexscan = {'on' if index else 'off'}".encode())
    # The planner would take the filter for cheap enough to scan the table; the question is what the index does.
    for way in ("enable_seqscan", "enable_sort", "enable_bitmapscan"):
        connection.execute(f"SET {way} = {'off' if index else 'on'}".encode())
    connection.execute(b"SET hnsw.max_scan_tuples = 2147483647")
    connection.execute(f"SET hnsw.ef_search = {EF_SEARCH}".encode())
    connection.execute(f"SET hnsw.iterative_scan = {'strict_order' if iterative else 'off'}".encode())
    statement = _ASK.format(where=f"WHERE part = {PART}" if is_filtered else "").encode()
    # Never prepared: a cached plan would outlive the settings above.
    spent, busy, share = [], [], []
    for query, wanted in zip(queries, exact, strict=True):
        text = "[" + ",".join(f"{value:.6g}" for value in query) + "]"
        started, at = time.perf_counter(), time.process_time()
        keys = {row[0] for row in connection.execute(statement, (text,), prepare=False).fetchall()}
        spent.append((time.perf_counter() - started) * 1000)
        busy.append((time.process_time() - at) * 1000)
        share.append(len(keys & wanted) / TOP)
    return Found(name, summarised(spent, busy), float(np.mean(share)))
