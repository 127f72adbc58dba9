"""The command: `python -m bench.precision [--only odd|even] [--set NAME] [--embedder SPEC] [--ablation]`.

`--file FILE` measures the stores of another file instead, one a line in the format of `bench/evidence/texts`:
those below 60 memories, and the larger ones. `--in-messages DATA` asks each question in the middle of a message.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import isnan
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench.precision.measuring import Combray, Plain, Result, System, measure
from bench.precision.messages import in_messages
from bench.precision.sets import LARGE, Store, load, read
from combray import presets
from combray.recall.abstain import FLOOR, THRESHOLDS, Abstain
from combray.recall.keep import KeepStrong
from combray.recall.passages import SplitQuery
from combray.recall.search import SearchContext
from combray.recall.signals import ContextMatch

SETS = ("small", "two-hundred", "team")
_WIDE = 160


def parser() -> argparse.ArgumentParser:
    """The options."""
    made = argparse.ArgumentParser(prog="python -m bench.precision", description=__doc__)
    made.add_argument("--only", choices=("odd", "even", "all"), default="odd", help="even: unseen while tuning")
    made.add_argument("--set", action="append", choices=SETS, help="repeatable; default all")
    made.add_argument("--file", type=Path, metavar="FILE", help="stores of this file instead, one a line")
    made.add_argument(
        "--embedder", action="append", metavar="SPEC", help="repeatable; default none and wordllama"
    )
    made.add_argument("--in-messages", type=Path, metavar="DATA", help="questions between turns of DATA/locomo")
    made.add_argument("--ablation", action="store_true", help="the preset without one mechanism at a time")
    made.add_argument("--no-own", action="store_true", help="do not ask every memory's own text")
    return made


def ablations(embedder: str) -> Iterator[Combray]:
    """The preset without one mechanism at a time."""
    preset = presets.load("default")
    recall = preset.recall
    flat = Abstain(floor=THRESHOLDS)
    never = Abstain(thresholds=dict.fromkeys(THRESHOLDS, 0.0), floor=dict.fromkeys(FLOOR, 0.0))
    words = recall.replace("SplitQuery", SplitQuery(long_from=10**6))
    for name, pipeline in (
        ("all mechanisms", recall),
        ("one threshold for every size", recall.replace("Abstain", flat)),
        ("no threshold", recall.replace("Abstain", never)),
        ("keep 0", recall.replace("KeepStrong", KeepStrong(keep=0.0))),
        ("keep 0.4", recall.replace("KeepStrong", KeepStrong(keep=0.4))),
        ("keep 0.6", recall.replace("KeepStrong", KeepStrong(keep=0.6))),
        ("no passages, all words", words.replace("SearchContext", SearchContext(strongest=0))),
        ("weak keywords count in full", recall.replace("ContextMatch", ContextMatch(enough=1e-6))),
    ):
        yield Combray(f"{name} ({embedder})", embedder, replace(preset, recall=pipeline))


def systems(options: argparse.Namespace) -> Iterator[System]:
    """What is measured."""
    embedders = options.embedder or ["none", "wordllama"]
    if options.ablation:
        for embedder in embedders:
            yield from ablations(embedder)
        return
    yield Plain("all hits")
    yield Plain("BM25, ten")
    for embedder in embedders:
        short = embedder.rstrip("/").split("/")[-1]
        for through in ("recall", "context"):
            yield Combray(f"{through} ({short})", embedder, through=through)


def measured(options: argparse.Namespace) -> Iterator[tuple[str, Sequence[Store]]]:
    """Yield the stores of a table, with its title."""
    if options.file is None:
        for name in options.set or SETS:
            yield f"{name}, {options.only}", load(name, options.only)
        return
    stores = read(options.file)
    for size, some in (
        ("small", [each for each in stores if len(each.memories) < LARGE]),
        ("large", [each for each in stores if len(each.memories) >= LARGE]),
    ):
        if some:
            yield f"{options.file.stem}, {size}", some


def table(name: str, results: list[Result]) -> Table:
    """One line a system: means, and intervals of the main ones."""
    shown = Table(title=name)
    shown.add_column("system")
    for column in ("precision", "recall", "F1", "silence wrong", "silence right", "near", "far", "own text"):
        shown.add_column(column, justify="right")
    for result in results:
        shown.add_row(result.system, *(_cell(*each) for each in result.figures().values()))
    return shown


def _cell(mean: float, low: float, high: float) -> str:
    return "" if isnan(mean) else f"{mean:.0f} ({low:.0f}-{high:.0f})"


def main() -> None:
    """Measure and print a table for each set."""
    options = parser().parse_args()
    console, progress = Console(width=_WIDE), Console(stderr=True)

    def say(line: str) -> None:
        if progress.is_terminal:
            progress.print(line, end="\r", highlight=False, soft_wrap=True)

    for name, stores in measured(options):
        if options.in_messages:
            name, stores = f"{name}, in messages", in_messages(stores, options.in_messages)
        found = [measure(system, stores, say, own=not options.no_own) for system in systems(options)]
        asked = sum(len(store.questions) for store in stores)
        console.print(table(f"{name}: {asked} questions", found))


if __name__ == "__main__":
    main()
