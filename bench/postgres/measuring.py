"""The figures of one store: filling, single writes, recalls of one and of many clients, the ten nearest."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from typing import Any

import numpy as np
import psycopg
from numpy.typing import NDArray

import combray
from bench.speed.engine import items
from bench.speed.texts import Text
from combray import Engine
from combray.runtime import Arrival, Filter
from combray.stores.postgres import PostgresStore, near_index
from combray.testing.fakes import memory
from combray.testing.postgres import Server

CLIENTS = 16
NAMESPACES = 200
MODEL = "wordllama:256"
_AT_ONCE = 5000
HUNDREDTH = 100
"""A filter on one author of so many lets 1 % through."""


def filled(path: str, stored: Sequence[Text], progress: Callable[[int], None]) -> dict[str, float]:
    """Fill a file in batches of 256. Return memories a second."""
    with combray.open(path, worker=False) as engine:
        started = time.perf_counter()
        for start in range(0, len(stored), _AT_ONCE):
            engine.remember_many(items(stored[start : start + _AT_ONCE], start), batch=256, diff=False)
            progress(min(start + _AT_ONCE, len(stored)))
        return {"batches": len(stored) / (time.perf_counter() - started)}


def built(location: str) -> float:
    """Make the HNSW index, as `doctor --repair` does behind the keyword index. Return seconds."""
    started = time.perf_counter()
    with closing(PostgresStore(location)) as store, store._owning() as session:
        near_index.build(session, "combray")
    return time.perf_counter() - started


def asked_and_written(location: str, more: Sequence[Text], wanted: Sequence[str]) -> dict[str, Any]:
    """Cold start, recalls with 1 and 16 clients, single writes, batches."""
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
        started = time.perf_counter()
        again = [f"{each.text} (said again)" for each in more]
        engine.remember_many([{"content": text} for text in again], batch=256, diff=False)
        batches = len(again) / (time.perf_counter() - started)
    return {"cold": cold, "one": one, "many": many, "single": 1 / float(np.median(single)), "batches": batches}


def asked(engine: Engine, wanted: Sequence[str], clients: int) -> dict[str, Any]:
    """p50, p95 and p99 in milliseconds, recalls a second, and each recall's processor time (one client)."""
    spent: list[float] = []
    busy: list[float] = []

    def ask(part: int) -> None:
        for question in wanted[part::clients]:
            started, at = time.perf_counter(), time.thread_time()
            engine.recall(question)
            spent.append((time.perf_counter() - started) * 1000)
            busy.append(time.thread_time() - at)

    threads = [threading.Thread(target=ask, args=(part,)) for part in range(clients)]
    started = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    every = len(spent) / (time.perf_counter() - started)
    p50, p95, p99 = (float(each) for each in np.percentile(spent, [50, 95, 99]))
    return {"p50": p50, "p95": p95, "p99": p99, "each_second": every, "busy": busy if clients == 1 else []}


def vectors(path: str, wanted: Sequence[str]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Every vector of a store, and those of questions."""
    with combray.open(path, worker=False) as engine:
        reader = engine.runtime.store.reader("default")
        rows, _ = reader.vectors(MODEL, np.sort(reader.scan(Filter())))
        embedder = engine.runtime.embedder
        if embedder is None:
            raise RuntimeError("the default embedder is missing")
        return rows, np.asarray(embedder.embed(list(wanted)), dtype=np.float32)


def nearest(places: Mapping[str, str], names: Sequence[str], wanted: Sequence[str]) -> dict[str, Any]:
    """The ten nearest by each store: milliseconds, and the share of the first store's ten; also under 1 %."""
    found: dict[str, Any] = {}
    exact: dict[str, list[set[str]]] = {}
    for name in names:
        with combray.open(places[name], worker=False) as engine:
            embedder = engine.runtime.embedder
            if embedder is None:
                raise RuntimeError("the default embedder is missing")
            queries = np.asarray(embedder.embed(list(wanted)), dtype=np.float32)
            reader = engine.runtime.store.reader("default")
            moments = np.sort(reader.rows(np.sort(reader.scan(Filter()))).moment)
            hundredth = len(moments) // HUNDREDTH
            for label, where in (
                ("all", Filter()),
                ("1 %", Filter(since=float(moments[hundredth]), until=float(moments[2 * hundredth]))),
            ):
                reader.nearest(MODEL, queries[:1], where, 10, -1.0)
                spent, ids = [], []
                for query in queries:
                    started = time.perf_counter()
                    (best,) = reader.nearest(MODEL, query[None, :], where, 10, -1.0)
                    spent.append((time.perf_counter() - started) * 1000)
                    ids.append(set(reader.ids(best.keys)))
                exact.setdefault(label, ids)
                share = [len(a & b) / max(len(b), 1) for a, b in zip(ids, exact[label], strict=True)]
                p50, p95 = (float(each) for each in np.percentile(spent, [50, 95]))
                found[f"{name}, {label}"] = {"p50": p50, "p95": p95, "overlap": float(np.mean(share))}
    return found


def many_namespaces(url: str, stored: Sequence[Text]) -> dict[str, float]:
    """Write to 200 namespaces at once from 16 threads, and read each back. Return memories a second."""
    wrong: list[str] = []
    with closing(PostgresStore(url)) as store:

        def work(part: int) -> None:
            for number in range(part, NAMESPACES, CLIENTS):
                name, own = f"space {number}", stored[number::NAMESPACES]
                with store.transaction(name) as tx:
                    tx.insert([Arrival(memory(each.text, at, namespace=name)) for at, each in enumerate(own)])
                reader = store.reader(name)
                if sorted(reader.contents(reader.scan(Filter()))) != sorted(each.text for each in own):
                    wrong.append(name)

        threads = [threading.Thread(target=work, args=(part,)) for part in range(CLIENTS)]
        started = time.perf_counter()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return {"each_second": len(stored) / (time.perf_counter() - started), "wrong": len(wrong)}


def inputs(server: Server, size: int, done: Mapping[str, Any]) -> dict[str, Any]:
    """What `placement` computes with."""
    with psycopg.connect(server.url()) as connection:
        found = connection.execute(
            "SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class AS c JOIN pg_namespace AS n "
            "ON n.oid = c.relnamespace WHERE n.nspname = 'combray' AND c.relkind = 'r'"
        ).fetchone()
    code, columns = 256, 150
    return {
        "memories": size,
        "bytes_on_disk": float(found[0] if found else 0) / size,
        "bytes_in_process": code + columns,
        "copied_each_second": done["copied"],
        "cold_seconds": done["exact"]["cold"],
        "recalls": [round(each, 5) for each in done["exact"]["one"]["busy"]],
    }


def tables(results: Mapping[str, Mapping[str, Any]]) -> str:
    """The tables of the page, in Markdown."""
    asked = "p50 | p95 | p99 | recalls/s"
    lines = [
        f"| memories | store | single/s | 1 client: {asked} | 16 clients: {asked} | cold, s |",
        "|" + "---|" * 12,
    ]
    for size, done in results.items():
        for name in ("sqlite", "exact", "hnsw"):
            if name in done:
                cells = [f"{int(size):,}", name, f"{done[name]['single']:.0f}"]
                for part in ("one", "many"):
                    cells += [f"{done[name][part][key]:.1f}" for key in ("p50", "p95", "p99")]
                    cells.append(f"{done[name][part]['each_second']:.0f}")
                lines.append(f"| {' | '.join(cells)} | {done[name]['cold']:.1f} |")
    lines += ["", "| memories | ten nearest by | p50 | p95 | overlap@10 |", "|---|---|---|---|---|"]
    for size, done in results.items():
        for name, each in (done.get("nearest", {}) | done.get("alike", {})).items():
            cells = [f"{int(size):,}", name, f"{each['p50']:.1f}", f"{each['p95']:.1f}", f"{each['overlap']:.3f}"]
            lines.append(f"| {' | '.join(cells)} |")
        for name, p50, p95, overlap in done.get("near", ()):
            lines.append(f"| {int(size):,} | index alone: {name} | {p50:.1f} | {p95:.1f} | {overlap:.3f} |")
    lines.append("")
    for size, done in results.items():
        if "namespaces" in done:
            spread = done["namespaces"]
            lines.append(
                f"{int(size):,}: filled {done['fill']['batches']:.0f}/s by remember_many, copied "
                f"{done['copied']:.0f}/s, HNSW built in {done['built']:.0f} s; 200 namespaces at once: "
                f"{spread['each_second']:.0f} memories/s, {spread['wrong']} wrong"
            )
    return "\n".join(lines) + "\n"
