"""How much code one recall and one write run through: `python -m bench.touched [--json] [--files]`.

Counts the files and functions of `src/combray` that are entered, in a warm process, by preset default on a store
of 200 memories. Comprehensions, lambdas and generated methods are left out: a reader does not look for them.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path
from types import FrameType
from typing import Any

import combray
from combray import Engine

PACKAGE = Path(combray.__file__).parent
MEMORIES = 200
TOPICS = ("the harbour crane", "our night train", "Ana's bakery", "the staging cluster", "my left knee")
TEXTS = tuple(
    f"Note {number}: {TOPICS[number % 5]} was looked at by team {number % 7} on day {number}."
    for number in range(MEMORIES)
)
QUESTION = "Which team looked at the staging cluster?"
WRITTEN = "Our night train was looked at by team 4, who found a loose bolt."
Touched = Mapping[str, frozenset[str]]
"""File below the package -> functions that were entered."""


def touched(call: Callable[[], Any], package: Path = PACKAGE) -> Touched:
    """Return the functions of a package that a call enters in this thread, by file."""
    found: dict[str, set[str]] = defaultdict(set)

    def enter(frame: FrameType, event: str, _argument: object) -> None:
        code = frame.f_code
        if event == "call" and not code.co_name.startswith("<"):
            path = Path(code.co_filename)
            if path.is_relative_to(package):
                found[path.relative_to(package).as_posix()].add(code.co_qualname)

    sys.setprofile(enter)
    try:
        call()
    finally:
        sys.setprofile(None)
    return {file: frozenset(names) for file, names in sorted(found.items())}


def measured(embedder: str) -> dict[str, Touched]:
    """Return what a recall and a write touch once each was done before."""
    with combray.open(":memory:", embedder=embedder, worker=False) as engine:
        engine.remember_many(list(TEXTS))
        warm(engine)
        return {
            "recall": touched(lambda: engine.recall(QUESTION)),
            "write": touched(lambda: engine.remember(WRITTEN)),
        }


def warm(engine: Engine) -> None:
    """Recall and write, so that tables and caches are there."""
    for number in range(3):
        engine.recall(f"Who looked at {TOPICS[number]}?")
        engine.remember(f"{TOPICS[number].capitalize()} has a new coat of paint, number {number}.")


def main(arguments: list[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.touched", description=__doc__)
    parser.add_argument("--embedder", default="wordllama")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--files", action="store_true", help="name each file with its functions")
    options = parser.parse_args(arguments)
    found = measured(options.embedder)
    if options.json:
        plain = {verb: {file: sorted(names) for file, names in files.items()} for verb, files in found.items()}
        sys.stdout.write(json.dumps(plain, indent=1) + "\n")
        return 0
    sys.stdout.write("| | files | functions |\n|---|--:|--:|\n")
    for verb, files in found.items():
        sys.stdout.write(f"| one {verb} | {len(files)} | {sum(map(len, files.values()))} |\n")
    if options.files:
        for verb, files in found.items():
            sys.stdout.write(f"\n{verb}\n")
            for file, names in sorted(files.items(), key=lambda item: (-len(item[1]), item[0])):
                sys.stdout.write(f"  {len(names):3} {file}: {', '.join(sorted(names))}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
