"""The command: `python -m bench.postgres [--sizes 10000 100000] [--markdown OUT]`.

A server of its own in a temporary folder, with the disk's flushes on; the same texts in a file and in the server.
Clients are threads of one process. Set OPENBLAS_NUM_THREADS=1.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import combray
from bench.postgres import hnsw
from bench.speed.engine import items
from bench.speed.texts import Text, clauses, questions, sources, texts
from bench.speed.timing import Latency, latency
from combray import Engine
from combray.runtime import Filter, Reader
from combray.testing.postgres import Server

ASKED = 200
SINGLE = 100
CLIENTS = 16
MODEL = "wordllama:256"


def asked(engine: Engine, wanted: Sequence[str], clients: int) -> str:
    """p50, p95 and p99 in milliseconds, and recalls a second."""
    spent: list[float] = []

    def ask(part: int) -> None:
        for question in wanted[part::clients]:
            started = time.perf_counter()
            engine.recall(question)
            spent.append((time.perf_counter() - started) * 1000)

    threads = [threading.Thread(target=ask, args=(part,)) for part in range(clients)]
    started = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    every = len(spent) / (time.perf_counter() - started)
    p50, p95, p99 = np.percentile(spent, [50, 95, 99])
    return f"{p50:.1f} | {p95:.1f} | {p99:.1f} | {every:.0f}"


def measured(location: str, stored: Sequence[Text], more: Sequence[Text], wanted: Sequence[str]) -> list[str]:
    """The cells of one store's row."""
    with combray.open(location, worker=False) as engine:
        started = time.perf_counter()
        engine.remember_many(items(stored, 0), batch=256, diff=False)
        batches = len(stored) / (time.perf_counter() - started)
        engine.recall(wanted[0])
        single = []
        for each in items(more, len(stored)):
            content = each.pop("content")
            started = time.perf_counter()
            engine.remember(content, **each)
            single.append(time.perf_counter() - started)
        one, many = asked(engine, wanted, 1), asked(engine, wanted, CLIENTS)
    started = time.perf_counter()
    with combray.open(location, worker=False) as engine:
        engine.recall(wanted[0])
    cold = time.perf_counter() - started
    return [f"{batches:.0f}", f"{1 / float(np.median(single)):.0f}", one, many, f"{cold:.1f}"]


def same(one: str, other: str, wanted: Sequence[str]) -> float:
    """Share of questions with identical hits and scores."""
    with combray.open(one, worker=False) as a, combray.open(other, worker=False) as b:
        equal = [
            [(hit.memory.content, hit.score) for hit in a.recall(each).hits]
            == [(hit.memory.content, hit.score) for hit in b.recall(each).hits]
            for each in wanted
        ]
    return float(np.mean(equal))


def scanned(reader: Reader, vectors: Mapping[str, NDArray[np.float32]]) -> Latency:
    """The ten nearest memories by the store's own scan."""
    return latency(lambda each: reader.nearest(MODEL, vectors[each][None, :], Filter(), 10, -1.0), list(vectors))


def main(arguments: list[str] | None = None) -> int:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(prog="python -m bench.postgres", description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000])
    options = parser.parse_args(arguments)
    pool = clauses(sources(None))
    for size in options.sizes:
        every = list(texts(pool, size + SINGLE))
        stored, more = every[:size], every[size:]
        wanted = questions(stored, ASKED)
        server = Server(durable=True, settings={"shared_buffers": "512MB", "max_wal_size": "4GB"})
        try:
            with tempfile.TemporaryDirectory() as folder:
                path = str(Path(folder) / "a.db")
                for name, location in (("SQLite", path), ("PostgreSQL", server.url())):
                    sys.stdout.write(
                        f"| {size} | {name} | {' | '.join(measured(location, stored, more, wanted))} |\n"
                    )
                    sys.stdout.flush()
                sys.stdout.write(f"identical answers: {same(path, server.url(), wanted[:50]):.3f}\n")
                with combray.open(path, worker=False) as engine:
                    reader = engine.runtime.store.reader("default")
                    keys = np.sort(reader.scan(Filter()))
                    rows, _ = reader.vectors(MODEL, keys)
                    embedder = engine.runtime.embedder
                    assert embedder is not None
                    queries = np.asarray(embedder.embed(wanted[:100]), dtype=np.float32)
                    scan = scanned(reader, dict(zip(wanted[:100], queries, strict=True)))
                    sys.stdout.write(f"scan in memory: {scan}\n")
            built, found = hnsw.measure(server.url(), rows, queries)
            sys.stdout.write(f"HNSW built in {built:.0f} s\n")
            for each in found:
                sys.stdout.write(f"{each.name}: {each.latency}, overlap@10 {each.overlap:.3f}\n")
        finally:
            server.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
