"""Fit the weights with which recall shows a later statement: `python -m bench.truth.showing FILE…`.

One row for each question, hit and open `may_revise` edge to that hit, all stories of a language in one store.
It counts as right if the hit is outdated for the question and the later statement is current. Logistic
regression by Newton's method; the printed weights go into `combray.recall.present.ShowLater`.
"""

from __future__ import annotations

import argparse
import math
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.truth.callers import Script
from bench.truth.stories import Question, load, together
from bench.truth.systems import Combray
from combray import presets
from combray.recall.present import hedged, open_revisions
from combray.recall.state import Recalling
from combray.runtime import Runtime

NAMES = ("bias", "edge", "first", "share")


@dataclass
class _Look:
    """Stands in the place of `ShowLater` and notes the edges of the first hits."""

    needs: tuple[str, ...] = ("sorted", "question")
    seen: list[tuple[str, str, list[float]]] = field(default_factory=list)

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        head = state.keys[:10].tolist()
        links = open_revisions(state, head, 0.0)
        sources = np.array(sorted({link.source for link in links}), dtype=np.int64)
        late = dict(zip(sources.tolist(), hedged(state.reader.rows(sources), state.now).tolist(), strict=True))
        keys = [*head, *sources.tolist()]
        memories = state.reader.memories(keys)
        known = {key: str(memory.metadata["ref"]) for key, memory in zip(keys, memories, strict=True)}
        for link in links:
            if not late[link.source]:
                place = head.index(link.target)
                odds = math.log(link.weight / (1.0 - min(link.weight, 1.0 - 1e-6)))
                share = float(state.scores[place] / max(state.scores[0], 1e-6))
                row = [1.0, odds, float(place == 0), share]
                self.seen.append((known[link.source], known[link.target], row))
        return state


def main(arguments: list[str] | None = None) -> int:
    """Print the weights."""
    parser = argparse.ArgumentParser(prog="python -m bench.truth.showing", description=__doc__)
    parser.add_argument("file", type=Path, nargs="+")
    parser.add_argument("--only", choices=("odd", "even"))
    parser.add_argument("--embedder", default="wordllama")
    options = parser.parse_args(arguments)
    stories = [story for path in options.file for story in load(path)]
    if options.only:
        stories = [each for each in stories if int(each.name.rpartition("-")[2]) % 2 == (options.only == "odd")]
    rows: list[list[float]] = []
    right: list[float] = []
    look = _Look()
    default = presets.load("default")
    preset = replace(default, recall=default.recall.replace("ShowLater", look))
    for story in together(stories):
        system = Combray(preset, options.embedder, Script("nobody", story.revisions))
        waiting = sorted(story.questions, key=lambda question: question.at)
        for statement in story.statements:
            while waiting and waiting[0].at <= statement.at:
                _ask(system, waiting.pop(0), look, rows, right)
            system.tell(statement)
        for question in waiting:
            _ask(system, question, look, rows, right)
        system.close()
    weights = logistic(np.array(rows), np.array(right))
    sys.stdout.write(f"{len(rows)} rows, {int(sum(right))} right\n")
    sys.stdout.write("  ".join(f"{name}={value:.2f}" for name, value in zip(NAMES, weights, strict=True)) + "\n")
    return 0


def _ask(system: Combray, question: Question, look: _Look, rows: list[list[float]], right: list[float]) -> None:
    look.seen.clear()
    system.ask(question.text, question.at)
    for new, old, row in look.seen:
        rows.append(row)
        right.append(float(new in question.current and old in question.stale))


def logistic(rows: NDArray[np.float64], right: NDArray[np.float64], ridge: float = 1.0) -> NDArray[np.float64]:
    """Return weights of a logistic regression with an L2 penalty on all but the first column; Newton's method."""
    weights = np.zeros(rows.shape[1])
    penalty = ridge * np.diag([0.0, *[1.0] * (rows.shape[1] - 1)])
    for _ in range(50):
        chance = 1.0 / (1.0 + np.exp(-np.clip(rows @ weights, -30, 30)))
        slope = rows.T @ (chance - right) + penalty @ weights
        curve = (rows * (chance * (1.0 - chance))[:, None]).T @ rows + penalty
        step = np.linalg.solve(curve, slope)
        weights -= step
        if np.abs(step).max() < 1e-9:
            break
    return weights


if __name__ == "__main__":
    sys.exit(main())
