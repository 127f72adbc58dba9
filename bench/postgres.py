"""SQLite and PostgreSQL side by side: `python -m bench.postgres [--sizes 10000 100000]`.

SQLite, PostgreSQL exact and PostgreSQL with HNSW on the same texts: single writes, recalls with 1 and 16 clients,
a cold start, and the ten nearest with and without a filter. A server of its own in a temporary folder, with the
disk's flushes on. Clients are threads of one process. Set OPENBLAS_NUM_THREADS=1.
"""

from __future__ import annotations

import argparse
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import Any

import numpy as np

import combray
from bench.speed.engine import items
from bench.speed.texts import Text, clauses, questions, sources, texts
from combray import Engine
from combray.runtime import Filter
from combray.stores.postgres import PostgresStore, upkeep
from combray.testing.postgres import Server

ASKED, SINGLE, CLIENTS = 200, 100, 16
MODEL = "wordllama:256"
HUNDREDTH = 100
"""A range of moments of one in so many memories lets 1 % through."""
SETTINGS = {"shared_buffers": "1GB", "max_wal_size": "8GB", "maintenance_work_mem": "2GB"}
STORES = ("sqlite", "exact", "hnsw")
ASKED_BY = "p50 | p95 | p99 | recalls/s"
HEAD = f"| memories | store | batch/s | single/s | 1 client: {ASKED_BY} | 16 clients: {ASKED_BY} | cold, s |"


def measure(size: int) -> tuple[list[str], list[str]]:
    """Return the lines of both tables for a size."""
    every = list(texts(clauses(sources(None)), size + SINGLE * len(STORES)))
    stored, more = every[:size], every[size:]
    wanted = questions(stored, ASKED)
    server = Server(durable=True, settings=SETTINGS)
    places = {"sqlite": str(server.folder / "notes.db"), "exact": server.url()}
    places["hnsw"] = f"{server.url()}&vectors=hnsw"
    first: dict[str, list[set[str]]] = {}
    calls, nearest = [], []
    try:
        rates = {name: filled(places[name], stored) for name in ("sqlite", "exact")}
        for place, name in enumerate(STORES):
            if name == "hnsw":
                # Behind the figures of the exact store: keeping the index up would cost its writes.
                rates[name] = rates["exact"]
                say(f"{size}: HNSW index built in {built(places[name]):.0f} s")
            say(f"{size}: {name}")
            nearest += [f"| {size:,} | {name} | {line} |" for line in near(places[name], wanted[:100], first)]
            found = asked_and_written(places[name], more[place :: len(STORES)], wanted)
            cells = [f"{size:,}", name, f"{rates[name]:.0f}", f"{found['single']:.0f}"]
            for clients in ("one", "many"):
                cells += [f"{value:.1f}" for value in found[clients]]
            calls.append(f"| {' | '.join(cells)} | {found['cold']:.1f} |")
    finally:
        server.stop()
    return calls, nearest


def say(text: str) -> None:
    """Report progress on standard error."""
    sys.stderr.write(f"{time.strftime('%H:%M:%S')} {text}\n")


def filled(location: str, stored: Sequence[Text]) -> float:
    """Fill a store in batches of 256 without comparing. Return memories a second."""
    with combray.open(location, worker=False) as engine:
        started = time.perf_counter()
        engine.remember_many(items(stored, 0), batch=256, diff=False)
        return len(stored) / (time.perf_counter() - started)


def built(location: str) -> float:
    """Make the HNSW index, as `doctor --repair` does behind the keyword index. Return seconds."""
    started = time.perf_counter()
    with closing(PostgresStore(location)) as store, store._owning() as session:
        upkeep.build_index(session, "combray")
    return time.perf_counter() - started


def asked_and_written(location: str, more: Sequence[Text], wanted: Sequence[str]) -> Mapping[str, Any]:
    """Cold start, recalls with 1 and 16 clients, single writes a second."""
    started = time.perf_counter()
    with combray.open(location, worker=False) as engine:
        engine.recall(wanted[0])
        cold = time.perf_counter() - started
        one, many = asked(engine, wanted, 1), asked(engine, wanted, CLIENTS)
        single = []
        for each in items(more, 10**7):
            content = each.pop("content")
            started = time.perf_counter()
            engine.remember(content, **each)
            single.append(time.perf_counter() - started)
    return {"cold": cold, "one": one, "many": many, "single": 1 / float(np.median(single))}


def asked(engine: Engine, wanted: Sequence[str], clients: int) -> list[float]:
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
    rate = len(spent) / (time.perf_counter() - started)
    return [*(float(each) for each in np.percentile(spent, [50, 95, 99])), rate]


def near(location: str, wanted: Sequence[str], first: dict[str, list[set[str]]]) -> list[str]:
    """The ten nearest, also under a filter of 1 %: milliseconds, and the share of the first store's ten.

    The server holds the single writes of the exact store when HNSW is asked, so a small store shares less.
    """
    lines = []
    with combray.open(location, worker=False) as engine:
        assert engine.runtime.embedder is not None
        queries = np.asarray(engine.runtime.embedder.embed(list(wanted)), dtype=np.float32)
        reader = engine.runtime.store.reader("default")
        moments = np.sort(reader.rows(np.sort(reader.scan(Filter()))).moment)
        part = len(moments) // HUNDREDTH
        some = Filter(since=float(moments[part]), until=float(moments[2 * part]))
        for label, where in (("none", Filter()), ("1 %", some)):
            reader.nearest(MODEL, queries[:1], where, 10, -1.0)
            spent, found = [], []
            for query in queries:
                started = time.perf_counter()
                (best,) = reader.nearest(MODEL, query[None, :], where, 10, -1.0)
                spent.append((time.perf_counter() - started) * 1000)
                # Each store made ids of its own; the texts are distinct.
                found.append(set(reader.contents(best.keys)))
            pairs = zip(found, first.setdefault(label, found), strict=True)
            share = float(np.mean([len(own & other) / max(len(other), 1) for own, other in pairs]))
            p50, p95 = np.percentile(spent, [50, 95])
            lines.append(f"{label} | {p50:.1f} | {p95:.1f} | {share:.3f}")
    return lines


def main(arguments: list[str] | None = None) -> int:
    """Measure, and print the tables of the page."""
    parser = argparse.ArgumentParser(prog="python -m bench.postgres", description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000])
    options = parser.parse_args(arguments)
    found = [measure(size) for size in options.sizes]
    lines = [HEAD, "|" + "---|" * 13, *(line for calls, _ in found for line in calls), ""]
    lines += ["| memories | store | filter | p50 | p95 | overlap@10 |", "|---|---|---|---|---|---|"]
    print("\n".join([*lines, *(line for _, nearest in found for line in nearest)]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
