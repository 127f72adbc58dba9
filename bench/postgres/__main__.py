"""The command: `python -m bench.postgres [--sizes 10000 100000 1000000] [--folder build/postgres]`.

SQLite, PostgreSQL exact and PostgreSQL with HNSW on the same texts: writes, recalls with 1 and 16 clients, the
ten nearest with and without filters, and 200 namespaces at once. Every figure is written to FOLDER/runs.json as
soon as it is there, and a second call goes on behind the last one; the filled file of each size is kept too.

A server of its own in a temporary folder, with the disk's flushes on. Clients are threads of one process. Set
OPENBLAS_NUM_THREADS=1.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from bench.postgres import hnsw, measuring
from bench.postgres.filling import SETTINGS, fill
from bench.postgres.placement import INPUTS
from bench.speed.texts import Text, clauses, questions, sources, texts
from combray.testing.postgres import Server

ASKED, SINGLE = 200, 100
MOST_ALONE = 100_000
"""Up to so many vectors the index is measured alone too: it is built a second time for that."""
Results = dict[str, dict[str, Any]]


def say(text: str) -> None:
    """Report progress on standard error."""
    sys.stderr.write(f"{time.strftime('%H:%M:%S')} {text}\n")
    sys.stderr.flush()


def measure(size: int, folder: Path, results: Results, keep: Callable[[], None]) -> None:
    """Measure what is missing of one size."""
    done = results.setdefault(str(size), {})
    every = list(texts(clauses(sources(None)), size + SINGLE * 3))
    stored, more = every[:size], every[size:]
    wanted = questions(stored, ASKED)
    path = folder / f"{size}.db"
    if "fill" not in done:
        path.unlink(missing_ok=True)
        say(f"{size}: filling {path}")
        done["fill"] = measuring.filled(str(path), stored, lambda count: say(f"{size}: {count} remembered"))
        keep()
    if {"exact", "hnsw", "sqlite", "alike", "nearest", "namespaces"} <= set(done):
        return
    server = Server(durable=True, settings=SETTINGS)
    copy = server.folder / "copy.db"
    try:
        # What is written here must not get into the file that is kept.
        with closing(sqlite3.connect(path)) as kept, closing(sqlite3.connect(copy)) as copied:
            kept.backup(copied)
        started = time.perf_counter()
        fill(str(path), server.url(), lambda table, count: say(f"{size}: copied {count} of {table}"))
        done["copied"] = size / (time.perf_counter() - started)
        places = {"sqlite": str(copy), "exact": server.url(), "hnsw": f"{server.url()}&vectors=hnsw"}
        own = {name: more[place::3] for place, name in enumerate(places)}
        if "alike" not in done:
            done["alike"] = measuring.nearest(places, ("sqlite", "exact"), wanted[:100])
            keep()
        # Before the index is made: keeping it up would cost the exact store's writes.
        asked(size, places, ("sqlite", "exact"), own, wanted, done, keep)
        done["built"] = measuring.built(places["hnsw"])
        say(f"{size}: HNSW index built in {done['built']:.0f} s")
        if "nearest" not in done:
            done["nearest"] = measuring.nearest(places, ("exact", "hnsw"), wanted[:100])
            keep()
        asked(size, places, ("hnsw",), own, wanted, done, keep)
        if "near" not in done and size <= MOST_ALONE:
            rows, queries = measuring.vectors(str(path), wanted[:100])
            _, found = hnsw.measure(server.url(), rows, queries)
            done["near"] = [[each.name, each.latency.p50, each.latency.p95, each.overlap] for each in found]
            keep()
        if "namespaces" not in done:
            done["namespaces"] = measuring.many_namespaces(server.url(), stored[:2000])
            keep()
        INPUTS.write_text(json.dumps(measuring.inputs(server, size, done), indent=1) + "\n", encoding="utf-8")
    finally:
        server.stop()


def asked(
    size: int,
    places: Mapping[str, str],
    names: Sequence[str],
    own: Mapping[str, Sequence[Text]],
    wanted: Sequence[str],
    done: dict[str, Any],
    keep: Callable[[], None],
) -> None:
    """Measure the recalls and writes of some stores, where they are missing."""
    for name in names:
        if name not in done:
            say(f"{size}: {name}")
            done[name] = measuring.asked_and_written(places[name], own[name], wanted)
            keep()


def main(arguments: list[str] | None = None) -> int:
    """Measure, and print the tables of the page."""
    parser = argparse.ArgumentParser(prog="python -m bench.postgres", description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--folder", type=Path, default=Path("build/postgres"))
    options = parser.parse_args(arguments)
    options.folder.mkdir(parents=True, exist_ok=True)
    kept = options.folder / "runs.json"
    results: Results = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}

    def keep() -> None:
        kept.write_text(json.dumps(results, indent=1), encoding="utf-8")

    for size in options.sizes:
        measure(size, options.folder, results, keep)
        keep()
    sys.stdout.write(measuring.tables(results))
    return 0


if __name__ == "__main__":
    sys.exit(main())
