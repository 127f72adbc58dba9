"""Time one peer; runs in the peer's own environment: `python -m bench.peers.timed SYSTEM PACKAGE FOLDER`.

FOLDER has texts.json, questions.json, texts.npy and questions.npy. Prints one line of JSON. Wall and processor
time of the adds, because a peer may work in threads; `single`: milliseconds of one text added alone.
"""

from __future__ import annotations

import json
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

import numpy as np

BATCH = 256
SINGLES = 200
"""Texts that are added alone, after the others."""


def main(name: str, package: str, folder: str) -> None:
    """Add everything in batches, ask everything once after five questions to warm up."""
    module = import_module(f"bench.peers.systems.{name}")
    texts, questions = (
        json.loads(Path(folder, f"{part}.json").read_text("utf-8")) for part in ("texts", "questions")
    )
    rows, asked = (np.load(Path(folder, f"{part}.npy")) for part in ("texts", "questions"))
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
        system = module.System(place)
        # The first batch also loads what writing needs; it is not timed.
        system.add(texts[:BATCH], rows[:BATCH])
        many = len(texts) - SINGLES
        started, at_cpu = time.perf_counter(), time.process_time()
        for at in range(BATCH, many, BATCH):
            end = min(at + BATCH, many)
            system.add(texts[at:end], rows[at:end])
        seconds, cpu = time.perf_counter() - started, time.process_time() - at_cpu
        alone = [_timed(partial(system.add, [texts[at]], rows[at : at + 1])) for at in range(many, len(texts))]
        pairs = list(zip(questions, asked, strict=True))
        hits = [system.ask(*pair) for pair in pairs[:5]]
        asked_times = [_timed(partial(_kept, hits, system.ask, *pair)) for pair in pairs]
        if not any(hits):
            raise SystemExit("no question found anything")
        taken, busy = zip(*asked_times, strict=True)
        p50, p95, p99 = (float(np.percentile(taken, part)) for part in (50, 95, 99))
        version = metadata.version(package) if package != "sqlite3" else sqlite3.sqlite_version
        found = {"version": version, "size": len(texts), "adds": (many - BATCH) / seconds}
        found |= {"add_cpu": 1000 * cpu / (many - BATCH), "single": float(np.median([wall for wall, _ in alone]))}
        found |= {"single_cpu": float(np.median([cpu for _, cpu in alone]))}
        found |= {"p50": p50, "p95": p95, "p99": p99, "cpu": float(np.median(busy)), "note": module.NOTE}
        print(json.dumps(found), flush=True)


def _kept(hits: list[int], ask: Callable[..., int], *pair: Any) -> None:
    hits.append(ask(*pair))


def _timed(call: Callable[[], object]) -> tuple[float, float]:
    """Return the milliseconds of a call, and those of the processor."""
    began, at_cpu = time.perf_counter(), time.process_time()
    call()
    cpu = time.process_time() - at_cpu
    return 1000 * (time.perf_counter() - began), 1000 * cpu


if __name__ == "__main__":
    main(*sys.argv[1:])
