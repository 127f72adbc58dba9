"""What is measured at each size, of the floors and of the engine, in one run."""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench.speed import busy, memory
from bench.speed import engine as own
from bench.speed.floors import PlainFTS5, Scan
from bench.speed.texts import Text, clauses, long_texts, questions, sources, texts
from bench.speed.timing import Latency, Rate, latency, process, rate
from combray import models

SINGLE = 200
"""Memories written one by one, each durable."""
LONG = 256
"""Messages of 2,500 characters."""
ASKED = 200
BATCH = 256
THREADS = 8


@dataclass(slots=True)
class Measured:
    """Figures of one size: adds a second, milliseconds of asking and of starting, megabytes."""

    size: int
    adds: dict[str, Rate] = field(default_factory=dict)
    asks: dict[str, Latency] = field(default_factory=dict)
    starts: dict[str, Latency] = field(default_factory=dict)
    memory: list[memory.Memory] = field(default_factory=list)
    reached: float = 0.0
    """Memories a second that the other process wrote while recall was timed."""
    file: float = 0.0
    """Megabytes of the store's files."""


class Run:
    """One growing file of each kind. What would change their size is measured on copies."""

    def __init__(self, options: argparse.Namespace, folder: Path) -> None:
        self._options, self._folder = options, folder
        self._embedder = models.embedder(options.embedder)
        self._floor_file, self._file = folder / "floor.db", folder / "combray.db"
        self._fts5 = PlainFTS5(self._floor_file)
        self._scan = Scan(self._embedder) if self._embedder else None
        self._engine = self._open()

    def _open(self, path: Path | None = None, durability: str = "normal") -> own.Engine:
        return own.opened(path or self._file, self._options.preset, self._options.embedder, durability)

    def grow(self, measured: Measured, new: Sequence[Text], start: int) -> None:
        """Add texts everywhere, in batches of 256."""
        plain = [each.text for each in new]
        measured.adds["FTS5, batches"] = rate(lambda: _in_batches(self._fts5, plain))
        if self._scan:
            self._scan.add(plain)
        diff = not self._options.no_diff
        measured.adds["combray, batches"] = rate(lambda: own.add_in_batches(self._engine, new, start, diff))

    def ask(self, measured: Measured, asked: Sequence[str]) -> None:
        """The same questions of every system; the engine's are new to it after the first."""
        measured.asks["FTS5"] = latency(self._fts5.ask, asked)
        if self._scan:
            measured.asks["scan"] = latency(self._scan.ask, asked)
        measured.asks["combray"] = latency(self._engine.recall, asked)

    def on_copies(self, measured: Measured, made: Iterator[Text], asked: Sequence[str]) -> None:
        """Durable single writes, long messages, and recall while another process writes."""
        self.close()
        floor, store = self._folder / "copy-floor.db", self._folder / "copy.db"
        shutil.copy(self._floor_file, floor)
        for each in self._folder.glob("combray.db*"):
            shutil.copy(each, self._folder / each.name.replace("combray.db", "copy.db", 1))
        single = [next(made) for _ in range(SINGLE)]
        durable = PlainFTS5(floor, full=True)
        measured.adds["FTS5, one by one"] = rate(lambda: _each(durable, single))
        long = list(long_texts(made, LONG))
        measured.adds["FTS5, 2,500 characters"] = rate(lambda: _in_batches(durable, [each.text for each in long]))
        durable.close()
        with self._open(store, "full") as engine:
            engine.recall(asked[0])
            measured.adds["combray, one by one"] = rate(lambda: own.add_singly(engine, single, measured.size))
            several = [next(made) for _ in range(SINGLE)]
            measured.adds[f"combray, one by one in {THREADS} threads"] = rate(
                lambda: own.add_in_threads(engine, several, measured.size, THREADS)
            )
        with self._open(store) as engine:
            engine.recall(asked[0])
            diff = not self._options.no_diff
            measured.adds["combray, 2,500 characters"] = rate(
                lambda: own.add_in_batches(engine, long, measured.size + SINGLE, diff)
            )
            written = [next(made).text for _ in range(20 * busy.A_SECOND)]
            chosen = self._options.preset, self._options.embedder
            found, reached = busy.while_written(store, chosen, written, engine.recall, asked)
            measured.asks["combray while written"] = found
            measured.reached = reached
        for each in (*self._folder.glob("copy*"),):
            each.unlink()

    def start_cold(self, measured: Measured, question: str) -> None:
        """The shell from cold, beside Python with the libraries that any such tool needs; then memory."""
        chosen = self._options.preset, self._options.embedder
        measured.starts["python with sqlite3, numpy"] = process([sys.executable, "-c", "import sqlite3, numpy"])
        measured.starts["combray recall"] = own.cold_start(self._file, *chosen, question)
        for processes in (1, 5):
            found = memory.of_readers(self._file, *chosen, [question] * 3, processes)
            if found is not None:
                measured.memory.append(found)
        measured.file = sum(each.stat().st_size for each in self._folder.glob("combray.db*")) / 1e6

    def open(self) -> None:
        """Open the files again after `on_copies` has closed them."""
        self._fts5, self._engine = PlainFTS5(self._floor_file), self._open()

    def close(self) -> None:
        """Close all files."""
        self._engine.close()
        self._fts5.close()


def _in_batches(floor: PlainFTS5, plain: Sequence[str]) -> int:
    for place in range(0, len(plain), BATCH):
        floor.add(plain[place : place + BATCH])
    return len(plain)


def _each(floor: PlainFTS5, new: Sequence[Text]) -> int:
    for each in new:
        floor.add([each.text])
    return len(new)


def measure(
    options: argparse.Namespace, folder: Path, done: Callable[[Sequence[Measured]], None]
) -> list[Measured]:
    """Grow through the sizes and measure everything at each. `done` is called after each with all so far."""
    sizes = sorted(options.sizes)
    pool = clauses(sources(options.conversations))
    # Enough for the copies too: single writes, the other process's, and long messages of some twenty texts.
    made = texts(pool, sizes[-1] + len(sizes) * (2 * SINGLE + 20 * busy.A_SECOND + 40 * LONG), options.seed)
    stored: list[Text] = []
    results = []
    run = Run(options, folder)
    for size in sizes:
        measured = Measured(size)
        new = [next(made) for _ in range(size - len(stored))]
        run.grow(measured, new, len(stored))
        stored += new
        asked = questions(stored, ASKED)
        run.ask(measured, asked)
        run.on_copies(measured, made, asked)
        run.start_cold(measured, asked[0])
        run.open()
        results.append(measured)
        done(results)
        print(f"{size:,}: done", file=sys.stderr)
    run.close()
    return results
