"""Leave one author out: the texts of each author, judged by weights that were trained without that author."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bench.guard.samples import Sample
from bench.guard.training import THRESHOLDS, Texts, crossed, fit
from combray.guard.injection import logit, model

AUTHORS = {"": "second", "d": "fourth", "e": "fifth", "f": "sixth", "g": "seventh"}
"""Authors by their letter in `texts/more-authors.jsonl`; "": those of `texts/second-author*.jsonl`."""
KINDS = ("direct", "indirect", "latent", "lookalike", "ordinary")


def author(sample: Sample) -> str | None:
    """Return the letter of a sample's author; None for texts of no such author."""
    file, _, rest = sample.source.partition(", ")
    if file.startswith("second-author"):
        return ""
    return rest.removeprefix("author ")[0] if file == "more-authors" else None


def kind(sample: Sample) -> str:
    """Return what a text is: a label, or one of its parts (planted rules are "latent")."""
    named = sample.source.rpartition(", ")[2]
    if named in KINDS:
        return named
    return "lookalike" if sample.label == "harmless" else sample.label


def left_out(texts: Texts) -> Iterator[tuple[str, str, int, float, float]]:
    """Yield (author, kind, texts, share quarantined as untrusted, share quarantined as the owner's).

    The biases are moved as far as those of the shipped weights.
    """
    letters = list(AUTHORS)
    named = [author(each) for each in texts.samples]
    parts = np.array([-1 if each is None else letters.index(each) for each in named])
    every = np.ones(len(parts), dtype=bool)
    above = []
    for column, threshold in enumerate(THRESHOLDS):
        moved = float(model().bias[column]) - fit(texts, every, column)[1]
        above.append(crossed(texts, parts, column) + moved >= logit(threshold))
    owner = above[1]
    untrusted = above[0] | owner
    kinds = np.array([kind(each) for each in texts.samples])
    for at, letter in enumerate(letters):
        for sort in KINDS:
            mine = (parts == at) & (kinds == sort)
            if mine.any():
                shares = float(untrusted[mine].mean()), float(owner[mine].mean())
                yield AUTHORS[letter], sort, int(mine.sum()), *shares
