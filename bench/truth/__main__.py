"""The command: `python -m bench.truth FILE [--together] [--preset NAME] [--embedder SPEC] [--by kind]`."""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from bench.quality.metrics import interval
from bench.truth.measures import Shown, measures
from bench.truth.stories import Question, Story, load, together
from bench.truth.systems import Combray, Plain, System

Rows = list[tuple[Question, dict[str, float]]]
COLUMNS = (
    "current top 1",
    "current top 3",
    "current first",
    "right behind",
    "outdated unmarked",
    "due plans",
    "present holds",
    "plain top 1",
    "plain top 3",
)


def main(arguments: list[str] | None = None) -> int:
    """Play every story to every system and print a table; 2 when the file cannot be read."""
    parser = argparse.ArgumentParser(prog="python -m bench.truth", description=__doc__)
    parser.add_argument("file", type=Path, nargs="+", help="stories, .jsonl")
    parser.add_argument("--together", action="store_true", help="all stories of a language in one store")
    parser.add_argument("--preset", action="append", metavar="NAME")
    parser.add_argument("--embedder", action="append", metavar="SPEC")
    parser.add_argument("--by", choices=("kind", "language"))
    parser.add_argument("--json", type=Path, metavar="OUT")
    options = parser.parse_args(arguments)
    try:
        stories = [story for path in options.file for story in load(path)]
    except (OSError, ValueError, KeyError) as error:
        sys.stderr.write(f"{options.file}: {error}\n")
        return 2
    systems: dict[str, Callable[[], System]] = {"bm25": Plain, "bm25, newest of 5": partial(Plain, 5)}
    for preset in options.preset or ["default"]:
        for embedder in options.embedder or ["none", "wordllama"]:
            short = embedder.rpartition("/")[-1]
            systems[f"{preset} {short}"] = partial(Combray, preset, embedder)
    played = together(stories) if options.together else stories
    results = {name: [row for story in played for row in play(story, make)] for name, make in systems.items()}
    console = Console()
    console.print(_table(results, "in one store" if options.together else "each story alone"))
    if options.by:
        for name, rows in results.items():
            groups: dict[str, Rows] = defaultdict(list)
            for row in rows:
                groups[getattr(row[0], options.by)].append(row)
            console.print(_table(dict(sorted(groups.items())), name))
    if options.json:
        figures = {name: _figures(rows) for name, rows in results.items()}
        options.json.write_text(json.dumps(figures, indent=1), encoding="utf-8")
    return 0


def play(story: Story, make: Callable[[], System]) -> Rows:
    """Tell the story and ask its questions, each when its time has come."""
    system = make()
    rows: Rows = []
    try:
        waiting = sorted(story.questions, key=lambda question: question.at)
        for statement in story.statements:
            while waiting and waiting[0].at <= statement.at:
                rows.append(_asked(system, waiting.pop(0)))
            system.tell(statement)
        rows += [_asked(system, question) for question in waiting]
    finally:
        system.close()
    return rows


def _asked(system: System, question: Question) -> tuple[Question, dict[str, float]]:
    shown: Sequence[Shown] = system.ask(question.text, question.at)
    return question, measures(question, shown)


def _figures(rows: Rows) -> dict[str, dict[str, float]]:
    """Mean in per cent, 95 % interval and count of each measure."""
    found = {}
    for column in COLUMNS:
        values = np.array([[each[column]] for _, each in rows if column in each])
        if len(values):
            low, high = interval(values)
            found[column] = {
                "mean": float(100 * values.mean()),
                "low": float(100 * low[0]),
                "high": float(100 * high[0]),
                "questions": len(values),
            }
    return found


def _table(results: dict[str, Rows], title: str) -> Table:
    table = Table(title=title)
    table.add_column("", no_wrap=True)
    figures = {name: _figures(rows) for name, rows in results.items()}
    shown = [column for column in COLUMNS if any(column in each for each in figures.values())]
    for column in shown:
        table.add_column(column, justify="right")
    for name, each in figures.items():
        cells = (each.get(column) for column in shown)
        table.add_row(
            name,
            *(
                "" if cell is None else f"{cell['mean']:.0f} ({cell['low']:.0f}-{cell['high']:.0f})"
                for cell in cells
            ),
        )
    return table


if __name__ == "__main__":
    sys.exit(main())
