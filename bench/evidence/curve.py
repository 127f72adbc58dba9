"""What higher bounds refuse: right and wrong silence on notes, each author judged by models of the others.

The command: `python -m bench.evidence.curve [--embedder SPEC] [--topic BOUND]`. A line a size of store and bound
of both log-odds: the share of answerable questions that is left empty, and that of the others, as means over
authors and of all questions, and of these the shares of near and far ones. Only the models and their bound
count, and kinds that no hit holds. With `--topic` the log-odds of the topic have that bound in every line.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence

import numpy as np

from bench.evidence import training
from bench.evidence.__main__ import level_of
from bench.evidence.collecting import Seen, collect_notes

BOUNDS = (-3.0, -2.5, -2.0, -1.5, -1.0, -0.6, -0.5, -0.4, -0.3, -0.2, -0.1, 0.0, 0.2, 0.4, 0.8)


def lines(seen: Sequence[Seen], scores: training.Scores, topic: float | None = None) -> Iterator[str]:
    """Yield a line a size of store and bound; `topic`: bound of the topic's log-odds, else that of the answer."""
    names = np.array([training.author(each) for each in seen])
    kinds = np.array([each.kind for each in seen])
    large = np.array([each.large for each in seen])
    never = np.array([each.certain for each in seen])
    unheld = np.array([each.found.unheld for each in seen])
    answerable = kinds == "answer"
    for size in sorted(set(large.tolist())):
        for bound in BOUNDS:
            below = (scores.answer < bound) | (scores.topic < (bound if topic is None else topic))
            refused = (below | unheld) & ~never
            by_author = [
                (refused[mine & answerable].mean(), refused[mine & ~answerable].mean())
                for mine in ((names == name) & (large == size) for name in sorted(set(names)))
                if (mine & answerable).any() and (mine & ~answerable).any()
            ]
            groups = (answerable, ~answerable, kinds == "near", kinds == "far")
            shares = [*np.mean(by_author, axis=0), *(refused[(large == size) & group].mean() for group in groups)]
            wrong, right, *rest = (f"{100 * share:.0f}" for share in shares)
            all_of = " / ".join(rest)
            yield f"{'large' if size else 'small'}, {bound:+.1f}: authors {wrong} / {right}, all {all_of}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Collect the notes, score them out of fold, and print the curve."""
    parser = argparse.ArgumentParser(prog="python -m bench.evidence.curve", description=__doc__)
    parser.add_argument("--embedder", action="append", help="repeatable; default none and wordllama")
    parser.add_argument("--topic", type=float, help="bound of the topic's log-odds; default that of the line")
    options = parser.parse_args(arguments)
    np.seterr(over="ignore")
    for embedder in options.embedder or ["none", "wordllama"]:
        seen = training.of_shape(list(collect_notes(embedder)), "notes")
        print(f"{embedder} ({level_of(embedder)}): wrong / right; all: wrong / right / near / far, per cent")
        for line in lines(seen, training.out_of_fold(seen), options.topic):
            print(line, flush=True)


if __name__ == "__main__":
    main()
