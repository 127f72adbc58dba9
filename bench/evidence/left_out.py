"""The whole engine on an author's notes, with models, bounds and gap of the other authors.

The command: `python -m bench.evidence.left_out [--embedder SPEC]`. A line an author and size of store: precision
and recall of the list, the share of answerable questions that is left empty, and that of the others by kind.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator, Sequence
from unittest.mock import patch

import msgspec
import numpy as np

from bench.evidence import training
from bench.evidence.__main__ import level_of
from bench.evidence.collecting import Seen, collect_notes, kind_of, notes
from bench.precision.measuring import Combray, row
from bench.precision.sets import LARGE
from combray import presets
from combray.presets.tuning import tuned
from combray.scoring import answers

Row = tuple[str, tuple[float, float, float, float]]
"""Kind of a question; precision, recall, F1 and whether nothing was returned."""


def models_without(seen: Sequence[Seen], name: str, level: str) -> answers.AnswerModels:
    """Return the models of notes, with bounds and gap, that the other authors give."""
    others = [each for each in seen if training.author(each) != name]
    scores = training.out_of_fold(others)
    bounds = training.bounds(others, scores, level, "notes")
    models = training.train(others)
    shown = {each: getattr(models, each).shown() for each in ("hit", "answer", "topic")}
    made = shown | {
        "refuse": bounds.refuse,
        "far": bounds.far,
        "gap": training.gap_of(others, scores, level, "notes"),
    }
    return msgspec.convert(made, answers.AnswerModels)


def asked_of(name: str, embedder: str, caution: float = 0.0) -> Iterator[tuple[bool, Row]]:
    """Yield for each question to an author's stores whether the store is large, and what was returned."""
    for family, store in notes():
        if training.AUTHORS.get(family, family) != name:
            continue
        filled = Combray(name, embedder, tuned(presets.load("default"), {"caution": caution})).fill(store)
        for question in store.questions:
            found = filled.ask(question)
            yield len(store.memories) >= LARGE, (kind_of(question), row(found, question.gold or frozenset("-")))


def line(rows: Sequence[Row]) -> tuple[float, ...]:
    """Means in per cent: precision, recall, silence wrong; silence right of all, of near and of far questions."""
    right = np.array([figures for kind, figures in rows if kind == "answer"])
    empty = {kind: [figures[3] for other, figures in rows if other == kind] for kind in ("none", "near", "far")}
    silent = [[*empty["none"], *empty["near"], *empty["far"]], empty["near"], empty["far"]]
    means = [*right.mean(axis=0)[[0, 1, 3]], *(np.mean(each) if each else np.nan for each in silent)]
    return tuple(100 * float(each) for each in means)


def main(arguments: Sequence[str] | None = None) -> None:
    """Collect the notes, train without each author, and ask."""
    parser = argparse.ArgumentParser(prog="python -m bench.evidence.left_out", description=__doc__)
    parser.add_argument("--embedder", action="append", help="repeatable; default none and wordllama")
    parser.add_argument("--caution", type=float, default=0.0, help="the setting, for its curve")
    options = parser.parse_args(arguments)
    np.seterr(over="ignore")
    for embedder in options.embedder or ["none", "wordllama"]:
        level = level_of(embedder)
        seen = training.of_shape(list(collect_notes(embedder)), "notes")
        means: dict[bool, list[tuple[float, ...]]] = defaultdict(list)
        for name in sorted({training.author(each) for each in seen}):
            shipped = answers.levels()
            trained = {**shipped, level: {**shipped[level], "notes": models_without(seen, name, level)}}
            rows: dict[bool, list[Row]] = defaultdict(list)
            with patch.object(answers, "levels", lambda trained=trained: trained):
                for large, each in asked_of(name, embedder, options.caution):
                    rows[large].append(each)
            for large, some in sorted(rows.items()):
                figures = line(some)
                means[large].append(figures)
                _say(embedder, f"{name}, {'large' if large else 'small'} ({len(some)})", figures)
        for large, some_means in sorted(means.items()):
            _say(embedder, f"mean, {'large' if large else 'small'}", np.nanmean(some_means, axis=0))


def _say(embedder: str, label: str, figures: Sequence[float]) -> None:
    precision, recall, wrong, silent, near, far = (f"{each:.0f}" for each in figures)
    print(f"{embedder} {label}: {precision} / {recall} / {wrong} / {silent} (near {near}, far {far})", flush=True)


if __name__ == "__main__":
    main()
