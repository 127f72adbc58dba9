"""The command: `python -m bench.speed.stages FILE ...`.

Processor time of each stage of a recall, a single write, a batched write and a long message, and of the steps of
a cold call, on copies of filled stores. A stage that contains others is charged with what they do not take. The
tables are printed in Markdown.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.speed import engine as own
from bench.speed.measuring import BATCH
from bench.speed.report import number
from bench.speed.texts import Text, clauses, long_texts, questions, sources, texts
from bench.speed.timing import environment, of_children
from combray import pipeline
from combray.errors import CombrayError

ASKED, SINGLE, BATCHES, LONG = 100, 60, 3, 16
_PAGE = 1_000
_FEW = 0.01
"""Stages below this share of the total are summed."""
_SEED = 2_000_003
_STEPS = {
    "python": "pass",
    "python with sqlite3, numpy": "import sqlite3, numpy",
    "import of the shell": "import combray.interfaces.cli",
    "open": "import combray; e = combray.open(PATH, worker=False); e.close()",
    "open and one recall": "import combray; e = combray.open(PATH, worker=False); e.recall(ASKED); e.close()",
    "combray recall": "import sys; sys.argv = ['combray', 'recall', ASKED, '--db', PATH]\n"
    "from combray.interfaces.cli import main; main()",
}
"""Programs, each with more of what a cold call does than the one before."""

Spent = dict[str, float]
"""Stage -> milliseconds of processor time."""


@contextmanager
def charged() -> Iterator[Spent]:
    """Collect the processor time of every stage that runs in the block, without that of the stages in it."""
    spent: Spent = defaultdict(float)
    inner: list[float] = []
    whole = pipeline.traced

    def timed(stage: Any, state: Any, runtime: Any) -> Any:
        inner.append(0.0)
        at = time.process_time()
        state = whole(stage, state, runtime)
        taken = (time.process_time() - at) * 1000
        spent[pipeline.stage_name(stage)] += taken - inner.pop()
        if inner:
            inner[-1] += taken
        return state

    pipeline.traced = timed
    try:
        yield spent
    finally:
        pipeline.traced = whole


def per_item(work: Callable[[], int]) -> Spent:
    """Return the milliseconds of each stage and of all, divided by what `work` returns: the things it did."""
    with charged() as spent:
        at = time.process_time()
        done = work()
        total = (time.process_time() - at) * 1000
    spent["outside stages"] = total - sum(spent.values())
    return {name: taken / done for name, taken in spent.items()} | {"all": total / done}


def of_store(store: Path, folder: Path) -> dict[str, Any]:
    """Measure a copy of one store."""
    file = copied(store, folder)
    made = texts(clauses(sources(None)), 40 * (LONG + SINGLE + BATCH * BATCHES), _SEED)
    with own.opened(file, "default", "wordllama") as engine:
        size, stored = stored_texts(engine)
        asked = questions(stored, ASKED + 20, 7)
        for each in asked[:20]:
            engine.recall(each)

        def ask() -> int:
            return len([engine.recall(each) for each in asked[20:]])

        found = {"recall": per_item(ask)}
        own.add_singly(engine, [next(made) for _ in range(10)], size)
        single = [next(made) for _ in range(SINGLE)]
        found["single write"] = per_item(lambda: own.add_singly(engine, single, size))
        own.add_in_batches(engine, [next(made) for _ in range(BATCH)], size, True)
        many = [next(made) for _ in range(BATCHES * BATCH)]
        found["batched write"] = per_item(lambda: own.add_in_batches(engine, many, size, True))
        long = list(long_texts(made, 2 * LONG))
        own.add_in_batches(engine, long[:LONG], size, True)
        found["message of 2,500 characters"] = per_item(
            lambda: own.add_in_batches(engine, long[LONG:], size, True)
        )
    return {"size": size, "stages": found, "cold": _cold(file, asked[0])}


def _cold(file: Path, question: str, repeats: int = 7) -> Spent:
    found: Spent = {}
    for name, program in _STEPS.items():
        code = program.replace("PATH", repr(str(file))).replace("ASKED", repr(question))
        taken = []
        for run in range(repeats + 1):
            at = of_children()
            # The command ends with the exit code of an empty answer where nothing is found.
            _run([sys.executable, "-c", code])
            if run:
                taken.append((of_children() - at) * 1000)
        found[name] = statistics.median(taken)
    return found


def _run(command: list[str]) -> None:
    subprocess.run(command, check=False, stdout=subprocess.DEVNULL, env=environment())


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


def tables(results: Sequence[Mapping[str, Any]]) -> str:
    """Return a table for each kind of call, stores as columns, and one of the cold call."""
    parts = []
    for title in results[0]["stages"]:
        columns = [each["stages"][title] for each in results]
        names = {name for found in columns for name in found} - {"all"}
        shown = [name for name in names if any(each.get(name, 0.0) >= _FEW * each["all"] for each in columns)]
        shown.sort(key=lambda name: (-columns[-1].get(name, 0.0), name))
        rest = [{"others": sum(each.get(name, 0.0) for name in names - set(shown))} for each in columns]
        every = [found | one for found, one in zip(columns, rest, strict=True)]
        parts.append(_table(title, results, [*shown, "others", "all"], every, shares=True))
    cold = [each["cold"] for each in results]
    return "\n".join([*parts, _table("cold call", results, list(cold[0]), cold, shares=False)])


def _table(
    title: str,
    results: Sequence[Mapping[str, Any]],
    names: Sequence[str],
    columns: Sequence[Spent],
    *,
    shares: bool,
) -> str:
    sizes = "".join(f" {each['size']:,} |" for each in results)
    lines = [f"| {title} |{sizes}", f"|---|{'---:|' * len(results)}"]
    for name in names:
        cells = [number(each.get(name, 0.0)) for each in columns]
        if shares:
            parts = [100 * each.get(name, 0.0) / each["all"] for each in columns]
            cells = [f"{cell} ({part:.0f} %)" for cell, part in zip(cells, parts, strict=True)]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def main(arguments: list[str] | None = None) -> int:
    """Measure and print; 2 when a store cannot be read."""
    made = argparse.ArgumentParser(prog="python -m bench.speed.stages", description=__doc__)
    made.add_argument("stores", type=Path, nargs="+", metavar="FILE", help="a closed store")
    results = []
    try:
        for store in made.parse_args(arguments).stores:
            with tempfile.TemporaryDirectory() as folder:
                results.append(of_store(store, Path(folder)))
    except (CombrayError, OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    print(tables(results))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
