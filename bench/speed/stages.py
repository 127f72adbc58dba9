"""The command: `python -m bench.speed.stages --stores FILE ... [--json OUT] [--markdown PAGE]`.

Processor time of each stage of a recall, a single write, a batched write and a long message, and of the steps of
a cold call, on copies of filled stores. A stage that contains others is charged with what they do not take.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.speed import engine as own
from bench.speed.filled import copied, stored_texts
from bench.speed.measuring import BATCH
from bench.speed.stages_page import page
from bench.speed.texts import clauses, long_texts, questions, sources, texts
from bench.speed.timing import environment, of_children
from combray import pipeline
from combray.errors import CombrayError

ASKED, SINGLE, BATCHES, LONG = 100, 60, 3, 16
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
    import subprocess

    subprocess.run(command, check=False, stdout=subprocess.DEVNULL, env=environment())


def main(arguments: list[str] | None = None) -> int:
    """Measure and write; 2 when a store cannot be read."""
    made = argparse.ArgumentParser(prog="python -m bench.speed.stages", description=__doc__)
    made.add_argument("--stores", type=Path, nargs="+", default=[], metavar="FILE", help="closed stores")
    made.add_argument("--from", dest="earlier", type=Path, metavar="FILE", help="figures of an earlier run")
    made.add_argument("--note", default="", help="a sentence on the machine, for the page")
    made.add_argument("--json", type=Path, metavar="OUT")
    made.add_argument("--markdown", type=Path, metavar="PAGE")
    options = made.parse_args(arguments)
    try:
        content = json.loads(options.earlier.read_text(encoding="utf-8")) if options.earlier else {"results": []}
        for store in options.stores:
            with tempfile.TemporaryDirectory() as folder:
                content["results"].append(of_store(store, Path(folder)))
                shutil.rmtree(folder, ignore_errors=True)
    except (CombrayError, OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    content["note"] = options.note or content.get("note", "")
    if options.json:
        options.json.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    if options.markdown:
        options.markdown.write_text(page(content), encoding="utf-8")
    else:
        print(page(content))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
