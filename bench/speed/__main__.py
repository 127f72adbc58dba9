"""The command: `python -m bench.speed [--sizes 1000 10000 100000] [--conversations FOLDER] [--json OUT]`.

Everything is timed in one run on one thread: set OPENBLAS_NUM_THREADS=1 to hold NumPy to it. The floors are
timed on the same texts and questions, right before the engine. A ratio above 1 is time lost to the floor.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.quality import loaders
from bench.speed import engine as own
from bench.speed.floors import PlainFTS5, Scan
from bench.speed.texts import Text, clauses, questions, sources, texts
from bench.speed.timing import Latency, latency, process, rate
from combray import models, presets
from combray.errors import CombrayError

SINGLE = 200
"""Memories written one by one, each durable."""
ASKED = 200
COLD_AT = 10_000


@dataclass(slots=True)
class Measured:
    """Figures of one size: adds a second since the size before, milliseconds of asking, wall of the shell."""

    size: int
    adds: dict[str, float] = field(default_factory=dict)
    asks: dict[str, Latency] = field(default_factory=dict)
    starts: dict[str, Latency] = field(default_factory=dict)


def parser() -> argparse.ArgumentParser:
    """The options."""
    made = argparse.ArgumentParser(prog="python -m bench.speed", description=__doc__)
    made.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    made.add_argument("--conversations", type=Path, metavar="FOLDER", help="texts from its question sets")
    made.add_argument("--preset", choices=presets.names(), default="default")
    made.add_argument("--embedder", default="wordllama")
    made.add_argument("--no-diff", action="store_true", help="write without looking for duplicates")
    made.add_argument("--seed", type=int, default=0)
    made.add_argument("--json", type=Path, metavar="OUT")
    return made


class Run:
    """One growing file of each kind, measured at every size."""

    def __init__(self, options: argparse.Namespace, folder: Path) -> None:
        self._options, self._folder = options, folder
        self._embedder = models.embedder(options.embedder)
        self._fts5 = PlainFTS5(folder / "floor.db")
        self._scan = Scan(self._embedder) if self._embedder else None
        self._engine = own.opened(folder / "combray.db", options.preset, options.embedder)

    def grow(self, measured: Measured, new: Sequence[Text], start: int) -> None:
        """Add texts everywhere, in batches of 256."""
        plain = [each.text for each in new]
        measured.adds["FTS5, batches"] = rate(lambda: self._floor_batches(plain))
        if self._scan:
            self._scan.add(plain)
        diff = not self._options.no_diff
        measured.adds["combray, batches"] = rate(lambda: own.add_in_batches(self._engine, new, start, diff))

    def _floor_batches(self, plain: Sequence[str]) -> int:
        for place in range(0, len(plain), 256):
            self._fts5.add(plain[place : place + 256])
        return len(plain)

    def ask(self, measured: Measured, asked: Sequence[str]) -> None:
        """The same questions of every system."""
        measured.asks["FTS5"] = latency(self._fts5.ask, asked)
        if self._scan:
            measured.asks["scan"] = latency(self._scan.ask, asked)
        measured.asks["combray"] = latency(lambda question: self._engine.recall(question), asked)

    def add_singly(self, measured: Measured, new: Sequence[Text], start: int) -> None:
        """One by one with a disk flush each, in files of their own size: the floor's, then the engine's."""
        self._engine.close()
        self._fts5.close()
        durable = PlainFTS5(self._folder / "floor.db", full=True)
        measured.adds["FTS5, one by one"] = rate(lambda: _each(durable, new))
        durable.close()
        path = self._folder / "combray.db"
        with own.opened(path, self._options.preset, self._options.embedder, "full") as engine:
            measured.adds["combray, one by one"] = rate(lambda: own.add_singly(engine, new, start))
        self._fts5 = PlainFTS5(self._folder / "floor.db")
        self._engine = own.opened(path, self._options.preset, self._options.embedder)

    def start_cold(self, measured: Measured, question: str) -> None:
        """The shell from cold, beside Python with the two libraries any such tool needs."""
        self._engine.close()
        measured.starts["python with sqlite3, numpy"] = process([sys.executable, "-c", "import sqlite3, numpy"])
        path = self._folder / "combray.db"
        options = self._options
        measured.starts["combray recall"] = own.cold_start(path, options.preset, options.embedder, question)
        self._engine = own.opened(path, options.preset, options.embedder)

    def close(self) -> None:
        """Close all files."""
        self._engine.close()
        self._fts5.close()


def _each(floor: PlainFTS5, new: Sequence[Text]) -> int:
    for each in new:
        floor.add([each.text])
    return len(new)


def measure(options: argparse.Namespace, folder: Path) -> list[Measured]:
    """Grow through the sizes; one-by-one writing and the cold start at 10,000 (or the last size below)."""
    sizes = sorted(options.sizes)
    special = max((size for size in sizes if size <= COLD_AT), default=sizes[0])
    pool = clauses(sources(options.conversations))
    made = texts(pool, sizes[-1] + SINGLE, options.seed)
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
        if size == special:
            run.start_cold(measured, asked[0])
            single = [next(made) for _ in range(SINGLE)]
            run.add_singly(measured, single, len(stored))
            stored += single
        results.append(measured)
    run.close()
    return results


def table(results: Sequence[Measured]) -> Table:
    """Sizes as columns, figures as lines, ratios to the floors below them."""
    shown = Table(title="speed", min_width=60)
    shown.add_column("figure")
    for each in results:
        shown.add_column(f"{each.size:,}", justify="right")
    for name in sorted({name for each in results for name in each.adds}):
        shown.add_row(f"adds a second: {name}", *(_number(each.adds.get(name)) for each in results))
    for name in ("FTS5", "scan", "combray"):
        for part in ("p50", "p95"):
            values = (getattr(each.asks.get(name), part, None) for each in results)
            shown.add_row(f"recall {part} ms: {name}", *(_number(value) for value in values))
    for floor in ("FTS5", "scan"):
        values = (_ratio(each.asks, floor) for each in results)
        shown.add_row(f"recall p50: combray / {floor}", *(_number(value) for value in values))
    for name in sorted({name for each in results for name in each.starts}):
        values = (getattr(each.starts.get(name), "p50", None) for each in results)
        shown.add_row(f"cold ms: {name}", *(_number(value) for value in values))
    return shown


def _ratio(asks: dict[str, Latency], floor: str) -> float | None:
    return asks["combray"].p50 / asks[floor].p50 if floor in asks else None


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if value >= 100 else f"{value:.2f}"


def main(arguments: list[str] | None = None) -> int:
    """Measure and report; 2 when a folder or model cannot be had."""
    options = parser().parse_args(arguments)
    try:
        with tempfile.TemporaryDirectory() as folder:
            results = measure(options, Path(folder))
    except (CombrayError, loaders.FormatError, OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    Console().print(table(results))
    if options.json:
        options.json.write_text(json.dumps(_content(options, results), indent=1) + "\n", encoding="utf-8")
    return 0


def _content(options: argparse.Namespace, results: Sequence[Measured]) -> dict[str, Any]:
    return {
        "preset": options.preset,
        "embedder": options.embedder,
        "python": platform.python_version(),
        "machine": platform.machine(),
        "results": [asdict(each) for each in results],
    }


if __name__ == "__main__":
    raise SystemExit(main())
