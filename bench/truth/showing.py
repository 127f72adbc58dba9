"""Fit the weights with which recall shows a later statement: `python -m bench.truth.showing FILE… [--out FILE]`.

    python -m bench.truth.showing DEV bench/truth/sets/stories.jsonl:odd bench/truth/sets/plans.jsonl:odd \
        --out src/combray/facts/ranker.json

One row for each question, hit and open `may_revise` edge to that hit, all stories of a file and language in one
store.
It counts as right if the hit is outdated for the question and the later statement is current. Logistic
regression by Newton's method; the printed weights go into `combray.facts.later.ShowLater`.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.truth.callers import Script
from bench.truth.stories import Question, together
from bench.truth.systems import Combray
from bench.truth.training import halved
from combray import presets
from combray.facts.later import ShowLater, Times, evidence
from combray.forms.recalling import Recalling
from combray.runtime import Link

Row = tuple[str, str, dict[str, float]]
"""Refs of the later and the earlier statement, and the evidence for the edge between them."""


def look(seen: list[Row]) -> ShowLater:
    """Return a stage that does what `ShowLater` does, and notes the evidence for the edges of the first hits."""

    class Look(ShowLater):
        def _that_matter(self, links: Sequence[Link], state: Recalling, times: Times) -> list[Link]:
            keys = sorted({key for link in links for key in (link.source, link.target)})
            memories = state.reader.memories(keys)
            ref = {key: str(memory.metadata["ref"]) for key, memory in zip(keys, memories, strict=True)}
            hits = set(state.keys.tolist())
            rows = zip(links, evidence(state, links, times), strict=True)
            seen.extend((ref[link.source], ref[link.target], row) for link, row in rows if link.target in hits)
            found: list[Link] = super()._that_matter(links, state, times)
            return found

    return Look()


def main(arguments: list[str] | None = None) -> int:
    """Print the weights."""
    parser = argparse.ArgumentParser(prog="python -m bench.truth.showing", description=__doc__)
    parser.add_argument("file", nargs="+", help="stories, .jsonl; `FILE:odd` or `FILE:even` takes half")
    parser.add_argument("--embedder", action="append", help="none and wordllama, if none is given")
    parser.add_argument("--out", type=Path, help="the ranker's file, which gets the weights")
    options = parser.parse_args(arguments)
    sets = [halved(name) for name in options.file]
    seen: list[Row] = []
    rows: list[dict[str, float]] = []
    right: list[float] = []

    def ask(question: Question, system: Combray) -> None:
        seen.clear()
        system.ask(question.text, question.at)
        for new, old, row in seen:
            rows.append(row)
            right.append(float(new in question.current and old in question.stale))

    default = presets.load("default")
    preset = replace(default, recall=default.recall.replace("ShowLater", look(seen)))
    for embedder in options.embedder or ["none", "wordllama"]:
        for story in (each for stories in sets for each in together(stories)):
            system = Combray(preset, embedder, Script("nobody", story.revisions))
            waiting = sorted(story.questions, key=lambda question: question.at)
            for statement in story.statements:
                while waiting and waiting[0].at <= statement.at:
                    ask(waiting.pop(0), system)
                system.tell(statement)
            for question in waiting:
                ask(question, system)
            system.close()
    names = list(rows[0])
    table = np.array([[1.0, *(row[name] for name in names)] for row in rows])
    weights = logistic(table, np.array(right))
    sys.stdout.write(f"{len(rows)} rows, {int(sum(right))} right\n")
    named = {name: round(value, 2) for name, value in zip(["bias", *names], weights.tolist(), strict=True)}
    sys.stdout.write(json.dumps(named) + "\n")
    if options.out:
        file = json.loads(options.out.read_text(encoding="utf-8"))
        options.out.write_text(json.dumps({**file, "showing": named}) + "\n", encoding="utf-8")
    return 0


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
