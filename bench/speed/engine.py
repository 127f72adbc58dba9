"""The engine's side of the measurement: writing in batches and one by one, asking, starting cold."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import combray
from bench.speed.texts import Text
from bench.speed.timing import Latency, process
from combray import Engine as Engine

_START = datetime(2024, 1, 1, tzinfo=UTC)


def opened(path: Path, preset: str, embedder: str, durability: str = "normal") -> Engine:
    """The engine on a file, its clock at the time of the day."""
    return combray.open(str(path), preset=preset, embedder=embedder, durability=durability, worker=False)


def items(texts: Sequence[Text], start: int) -> list[Any]:
    """Texts as items a minute apart, counted from `start`."""
    return [
        {
            "content": each.text,
            "author": each.author,
            "occurred_at": _START + timedelta(minutes=start + place),
        }
        for place, each in enumerate(texts)
    ]


def add_in_batches(engine: Engine, texts: Sequence[Text], start: int, diff: bool) -> int:
    """Write all of them in batches of 256, each one transaction with all its edges."""
    return len(engine.remember_many(items(texts, start), batch=256, diff=diff))


def add_singly(engine: Engine, texts: Sequence[Text], start: int) -> int:
    """Write one after the other, each its own transaction, as a caller of `remember` does."""
    for each in items(texts, start):
        content = each.pop("content")
        engine.remember(content, **each)
    return len(texts)


def add_in_threads(engine: Engine, texts: Sequence[Text], start: int, threads: int) -> int:
    """Write one after the other in each of several threads of one process, which share flushes."""
    step = -(-len(texts) // threads)
    parts = [(texts[at : at + step], start + at) for at in range(0, len(texts), step)]
    with ThreadPoolExecutor(threads) as pool:
        return sum(pool.map(lambda part: add_singly(engine, *part), parts))


def cold_start(path: Path, preset: str, embedder: str, question: str) -> Latency:
    """Wall time of `combray recall` in a new process, started as the console script starts it."""
    shell = [sys.executable, "-c", "from combray.interfaces.cli import main; main()"]
    given = ["--db", str(path), "--preset", preset, "--embedder", embedder]
    return process([*shell, "recall", question, *given])
