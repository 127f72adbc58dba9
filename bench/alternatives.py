"""Time Combray on the turns that docs/alternatives.md compares stores on.

    python -m bench.alternatives --data DATA [--embedder onnx:MODEL …]

Writes LoCoMo turns in batches into one file for each conversation, as facts with the diff on, then asks every
question. Prints adds per second and the median time of one recall.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from pathlib import Path

import combray
from bench.quality.loaders import load
from bench.quality.sets import Collection
from combray.types import MemoryItem


def main() -> None:
    """Print one line an embedder."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--embedder", nargs="+", default=["none", "wordllama"])
    parser.add_argument("--conversations", type=int, default=5)
    options = parser.parse_args()
    collections = load("locomo", options.data / "locomo" / "conversations-1-5.json").collections
    for embedder in options.embedder:
        adds, asked = zip(
            *(measure(each, embedder) for each in collections[: options.conversations]), strict=True
        )
        turns, seconds = (sum(part) for part in zip(*adds, strict=True))
        middle = statistics.median(moment for moments in asked for moment in moments)
        print(f"{embedder:10.10} {turns / seconds:8.0f} adds/s {middle * 1000:8.1f} ms a recall (median)")


def measure(collection: Collection, embedder: str) -> tuple[tuple[int, float], list[float]]:
    """(turns, seconds to write them) and the seconds of every recall."""
    items: list[MemoryItem] = [
        {"content": item.text, "author": item.author, "session": item.session, "occurred_at": item.occurred_at}
        for item in collection.items
    ]
    with (
        tempfile.TemporaryDirectory() as folder,
        combray.open(Path(folder) / "bench.db", embedder=embedder, worker=False) as engine,
    ):
        started = time.perf_counter()
        engine.remember_many(items)
        seconds = time.perf_counter() - started
        asked = []
        for question in collection.questions:
            at = time.perf_counter()
            engine.recall(question.text)
            asked.append(time.perf_counter() - at)
    return (len(items), seconds), asked


if __name__ == "__main__":
    main()
