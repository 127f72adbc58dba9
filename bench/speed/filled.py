"""What is measured on a store that is filled already: on a copy, so that the store stays as it is.

A store of a million memories takes hours to fill. There are no floors: their files were not filled with it.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

from bench.speed import busy, memory, statements
from bench.speed import engine as own
from bench.speed.measuring import BATCH, COUNTED, LONG, SINGLE, Measured
from bench.speed.texts import Text, clauses, long_texts, questions, sources, texts
from bench.speed.timing import latency, rate

BATCHES = 4
"""Batches of 256 that are timed, after one that warms up."""
ASKED = 200
_PAGE = 1_000
_OTHER_SEED = 1_000_003
"""Texts of another seed than the one a store was filled with: they are new to it."""


def copied(store: Path, folder: Path) -> Path:
    """Copy a closed store with the files beside it. Raises ValueError for one that a process has open."""
    if not store.is_file():
        raise ValueError(f"{store} is no file. Name a store.")
    log = Path(f"{store}-wal")
    if log.exists() and log.stat().st_size:
        raise ValueError(f"{store} is open, or was not closed. Close it, and copy it then.")
    for each in store.parent.glob(f"{store.name}*"):
        shutil.copy(each, folder / each.name.replace(store.name, "combray.db", 1))
    return folder / "combray.db"


def stored_texts(engine: own.Engine) -> tuple[int, list[Text]]:
    """Return the number of memories, and the texts of the latest thousand."""
    page = engine.list(limit=_PAGE)
    return page.total, [Text(each.content, each.author or "they") for each in page]


def measure_filled(options: argparse.Namespace, folder: Path) -> list[Measured]:
    """Recall, writes in batches, long messages, durable single writes, cold start and memory of one store."""
    statements.watch()
    file = copied(options.store, folder)
    made = texts(
        clauses(sources(options.conversations)), 40 * (LONG + SINGLE + BATCH), options.seed + _OTHER_SEED
    )
    chosen = options.preset, options.embedder
    with own.opened(file, *chosen) as engine:
        size, stored = stored_texts(engine)
        measured = Measured(size)
        asked = questions(stored, ASKED)
        measured.asks["combray"] = latency(engine.recall, asked)
        # The shell fails if it finds nothing.
        answered = next(each for each in asked if len(engine.recall(each)))
    _start_cold(measured, file, chosen, answered)
    with own.opened(file, *chosen, "full") as engine:
        engine.recall(asked[0])
        # The first writes of a process compile patterns and read posting lists.
        own.add_singly(engine, [next(made) for _ in range(COUNTED)], size)
        single = [next(made) for _ in range(SINGLE)]
        measured.adds["combray, one by one"] = rate(lambda: own.add_singly(engine, single, size))
        few = [next(made) for _ in range(COUNTED)]
        measured.statements, _ = statements.counted(lambda: own.add_singly(engine, few, size))
    with own.opened(file, *chosen) as engine:
        engine.recall(asked[0])
        diff = not options.no_diff
        own.add_in_batches(engine, [next(made) for _ in range(BATCH)], size, diff)
        many = [next(made) for _ in range(BATCHES * BATCH)]
        measured.adds["combray, batches"] = rate(lambda: own.add_in_batches(engine, many, size, diff))
        long = list(long_texts(made, LONG))
        measured.adds["combray, 2,500 characters"] = rate(lambda: own.add_in_batches(engine, long, size, diff))
        written = [next(made).text for _ in range(20 * busy.A_SECOND)]
        found, reached = busy.while_written(file, chosen, written, engine.recall, asked)
        measured.asks["combray while written"], measured.reached = found, reached
    return [measured]


def _start_cold(measured: Measured, file: Path, chosen: tuple[str, str], question: str) -> None:
    measured.starts["combray recall"] = own.cold_start(file, *chosen, question)
    for processes in (1, 5):
        found = memory.of_readers(file, *chosen, [question] * 3, processes)
        if found is not None:
            measured.memory.append(found)
    measured.file = sum(each.stat().st_size for each in file.parent.glob("combray.db*")) / 1e6
