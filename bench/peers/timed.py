"""Time one peer; runs in the peer's own environment: `python -m bench.peers.timed SYSTEM PACKAGE FOLDER`.

FOLDER has texts.json, questions.json, texts.npy and questions.npy. Prints one line of JSON.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from importlib import import_module, metadata
from pathlib import Path

import numpy as np

BATCH = 256


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
        started = time.perf_counter()
        for at in range(BATCH, len(texts), BATCH):
            system.add(texts[at : at + BATCH], rows[at : at + BATCH])
        seconds = time.perf_counter() - started
        pairs = list(zip(questions, asked, strict=True))
        hits = [system.ask(*pair) for pair in pairs[:5]]
        taken, busy = [], []
        for pair in pairs:
            began, at_cpu = time.perf_counter(), time.process_time()
            hits.append(system.ask(*pair))
            busy.append((time.process_time() - at_cpu) * 1000)
            taken.append((time.perf_counter() - began) * 1000)
        if not any(hits):
            raise SystemExit("no question found anything")
        p50, p95, p99 = (float(np.percentile(taken, part)) for part in (50, 95, 99))
        found = {"version": metadata.version(package), "size": len(texts), "adds": (len(texts) - BATCH) / seconds}
        found |= {"p50": p50, "p95": p95, "p99": p99, "cpu": float(np.median(busy)), "note": module.NOTE}
        print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
