"""The command: `python -m bench.truth FILE… [--together] [--embedder SPEC] [--caller NAME] [--by kind]`.

A file holds the stories of one author: with `--together` it has a store for each language.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np

from bench.quality.metrics import interval
from bench.quality.systems import short
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
    options = parser.parse_args(arguments)
    try:
        authors = [load(path) for path in options.file]
    except (OSError, ValueError, KeyError) as error:
        sys.stderr.write(f"{options.file}: {error}\n")
        return 2
    if options.only:
        odd = options.only == "odd"
        authors = [[each for each in some if int(each.name.rpartition("-")[2]) % 2 == odd] for some in authors]
    played = stores(authors, joined=options.together)
    results = {}
    for name, (make, caller) in systems(options).items():
        sys.stderr.write(f"{name}\n")
        results[name] = _joined(play(story, make, caller) for story in played)
    where = "all of a language in one store" if options.together else "each story alone"
    _show({name: _figures(each) for name, each in results.items()}, where)
    for name, each in results.items():
        for by in options.by or ():
            groups: dict[str, Played] = defaultdict(Played)
            for row in each.answers:
                groups[getattr(row[0], by)].answers.append(row)
            _show({group: _figures(rows) for group, rows in sorted(groups.items())}, name)
    return 0


def systems(options: argparse.Namespace) -> dict[str, tuple[Callable[[Script], System], Caller]]:
    """Return what is asked, by name, with the caller that settles its suggestions."""
    found: dict[str, tuple[Callable[[Script], System], Caller]] = {
        "BM25": (lambda _: Plain(), "nobody"),
        "BM25, newest of 5": (lambda _: Plain(5), "nobody"),
    }
    for preset in options.preset or ["default"]:
        for embedder in options.embedder or ["none", "wordllama"]:
            for caller in CALLERS if "all" in (options.caller or ()) else options.caller or ["nobody"]:
                name = f"{preset}, {short(embedder)}" + (f", {caller}" if caller != "nobody" else "")
                found[name] = (partial(Combray, preset, embedder), caller)
    return found


def stores(authors: Iterable[Sequence[Story]], *, joined: bool) -> list[Story]:
    """Return what has a store of its own: a story, or all stories of an author and language."""
    return [each for some in authors for each in (together(some) if joined else some)]


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


Figures = Mapping[str, str]


def _figures(played: Played) -> Figures:
    """Mean in per cent, 95 % interval and count of each measure, as shown."""
    found = {}
    every = [each for _, each in played.answers] + played.writes
    for column in (*ANSWERS, *WRITES):
        values = np.array([[each[column]] for each in every if column in each])
        if len(values):
            low, high = (100 * float(each[0]) for each in interval(values))
            found[column] = f"{100 * values.mean():.1f} ({low:.0f}-{high:.0f}) of {len(values)}"
    return found


def _show(figures: Mapping[str, Figures], title: str) -> None:
    """Print a table in Markdown, a system a column."""
    print(f"\n{title}\n")
    rows = [[row, *(each.get(row, "") for each in figures.values())] for row in (*ANSWERS, *WRITES)]
    for cells in (["%", *figures], ["---"] * (len(figures) + 1), *(row for row in rows if any(row[1:]))):
        print(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    sys.exit(main())
