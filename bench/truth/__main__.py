"""The command: `python -m bench.truth FILE… [--together] [--embedder SPEC] [--caller NAME] [--by kind]`.

A file holds the stories of one author: with `--together` it has a store for each language.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

from bench.quality.metrics import interval
from bench.truth.callers import CALLERS, Caller, Script
from bench.truth.measures import Shown, measures, of_writes
from bench.truth.stories import Question, Story, load, together
from bench.truth.systems import Combray, Plain, System

ANSWERS = (
    "current top 1",
    "current top 3",
    "current first",
    "right behind",
    "outdated unmarked",
    "due plans",
    "present holds",
    "plain top 1",
    "plain top 3",
    "plain first marked",
)
WRITES = ("right among three", "right suggested", "false suggestions", "false changes", "harm")


@dataclass
class Played:
    """Measures of a story's questions, and of its writes."""

    answers: list[tuple[Question, dict[str, float]]] = field(default_factory=list)
    writes: list[dict[str, float]] = field(default_factory=list)


def main(arguments: list[str] | None = None) -> int:
    """Play every story to every system and print a table; 2 when the file cannot be read."""
    parser = argparse.ArgumentParser(prog="python -m bench.truth", description=__doc__)
    parser.add_argument("file", type=Path, nargs="+", help="stories, .jsonl")
    parser.add_argument("--only", choices=("odd", "even"), help="only stories with such a number")
    parser.add_argument("--together", action="store_true", help="a store for each file and language")
    parser.add_argument("--preset", action="append", metavar="NAME")
    parser.add_argument("--embedder", action="append", metavar="SPEC")
    parser.add_argument("--caller", action="append", choices=(*CALLERS, "all"))
    parser.add_argument("--by", action="append", choices=("kind", "language"))
    parser.add_argument("--markdown", action="store_true", help="print the tables in Markdown")
    parser.add_argument("--json", type=Path, metavar="OUT")
    options = parser.parse_args(arguments)
    try:
        authors = [load(path) for path in options.file]
    except (OSError, ValueError, KeyError) as error:
        sys.stderr.write(f"{options.file}: {error}\n")
        return 2
    if options.only:
        odd = options.only == "odd"
        authors = [[each for each in some if int(each.name.rpartition("-")[2]) % 2 == odd] for some in authors]
    systems: dict[str, Callable[[Script], System]] = {
        "BM25": lambda _: Plain(),
        "BM25, newest of 5": lambda _: Plain(5),
    }
    callers: dict[str, Caller] = dict.fromkeys(systems, "nobody")
    for preset in options.preset or ["default"]:
        for embedder in options.embedder or ["none", "wordllama"]:
            for caller in CALLERS if "all" in (options.caller or ()) else options.caller or ["nobody"]:
                name = f"{preset}, {embedder.partition('@')[0].rpartition('/')[-1]}"
                name += f", {caller}" if caller != "nobody" else ""
                systems[name], callers[name] = partial(Combray, preset, embedder), caller
    played = stores(authors, joined=options.together)
    results = {
        name: _joined(
            play(story, make, callers[name]) for story in track(played, name, transient=True, console=_ERRORS)
        )
        for name, make in systems.items()
    }
    where = "all of a language in one store" if options.together else "each story alone"
    show = _print_markdown if options.markdown else partial(_print_table, Console())
    show({name: _figures(each) for name, each in results.items()}, where)
    for name, each in results.items():
        for by in options.by or ():
            groups: dict[str, Played] = defaultdict(Played)
            for row in each.answers:
                groups[getattr(row[0], by)].answers.append(row)
            show({group: _figures(rows) for group, rows in sorted(groups.items())}, name)
    if options.json:
        figures = {name: _figures(each) for name, each in results.items()}
        options.json.write_text(json.dumps(figures, indent=1), encoding="utf-8")
    return 0


def stores(authors: Iterable[Sequence[Story]], *, joined: bool) -> list[Story]:
    """Return what has a store of its own: a story, or all stories of an author and language."""
    return [each for some in authors for each in (together(some) if joined else some)]


_ERRORS = Console(stderr=True)


def play(story: Story, make: Callable[[Script], System], caller: Caller) -> Played:
    """Tell the story and ask its questions, each when its time has come."""
    script = Script(caller, story.revisions, answered(story), story.keep)
    system = make(script)
    played = Played()
    try:
        waiting = sorted(story.questions, key=lambda question: question.at)
        asked: list[Question] = []
        for statement in story.statements:
            while waiting and waiting[0].at <= statement.at:
                asked.append(waiting.pop(0))
                played.answers.append(_asked(system, asked[-1]))
            system.tell(statement)
        if script.undoes:
            system.undo()
        played.answers += [_asked(system, question) for question in waiting]
        played.writes = of_writes(system.writes, story, system.lost(story.keep))
    finally:
        system.close()
    return played


def answered(story: Story) -> dict[str, list[tuple[float, bool]]]:
    """Return for each statement the questions that it answers, in order: the moment, and whether rightly."""
    found: dict[str, list[tuple[float, bool]]] = defaultdict(list)
    for question in sorted(story.questions, key=lambda each: each.at):
        for ref in question.current | question.stale:
            found[ref].append((question.at, ref in question.current))
    return found


def _asked(system: System, question: Question) -> tuple[Question, dict[str, float]]:
    shown: Sequence[Shown] = system.ask(question.text, question.at)
    return question, measures(question, shown)


def _joined(every: Iterable[Played]) -> Played:
    joined = Played()
    for each in every:
        joined.answers += each.answers
        joined.writes += each.writes
    return joined


Figures = Mapping[str, Mapping[str, float]]


def _figures(played: Played) -> Figures:
    """Mean in per cent, 95 % interval and count of each measure."""
    found = {}
    every = [each for _, each in played.answers] + played.writes
    for column in (*ANSWERS, *WRITES):
        values = np.array([[each[column]] for each in every if column in each])
        if len(values):
            low, high = interval(values)
            found[column] = {
                "mean": float(100 * values.mean()),
                "low": float(100 * low[0]),
                "high": float(100 * high[0]),
                "count": len(values),
            }
    return found


def _print_table(console: Console, figures: Mapping[str, Figures], title: str) -> None:
    table = Table(title=title)
    table.add_column("%", no_wrap=True)
    for name in figures:
        table.add_column(name, justify="right")
    for row in _rows(figures):
        table.add_row(*row)
    console.print(table)


def _print_markdown(figures: Mapping[str, Figures], title: str) -> None:
    print(f"\n{title}\n")
    for row in (["", *figures], ["---"] * (len(figures) + 1), *_rows(figures)):
        print(f"| {' | '.join(row)} |")


def _rows(figures: Mapping[str, Figures]) -> Iterator[list[str]]:
    for row in (*ANSWERS, *WRITES):
        cells = [each.get(row) for each in figures.values()]
        if any(cells):
            count = max(int(cell["count"]) for cell in cells if cell)
            yield [f"{row} ({count})", *map(_shown, cells)]


def _shown(cell: Mapping[str, float] | None) -> str:
    return "" if cell is None else f"{cell['mean']:.1f} ({cell['low']:.0f}-{cell['high']:.0f})"


if __name__ == "__main__":
    sys.exit(main())
