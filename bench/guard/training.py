"""Training of the guard's weights: logistic regression by AdaGrad, in a fixed order of a fixed seed.

A text counts by its worst sentence (multiple-instance learning): of an attack the sentence that scores highest is
the positive one, of a harmless text every sentence is a negative.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bench.guard.samples import Sample
from combray.guard.disguises import read
from combray.guard.injection import BUCKETS, DAMPING, Model, digest, hashed, logit, sentence_features
from combray.remember.guard import Guard

POISON = (("direct", "indirect"), ("direct",))
"""Labels that are attacks for third-party texts, and for the owner's."""
SHARE = {"direct": 1.5, "indirect": 1.0, "harmless": 5.0, "ordinary": 2.0, "chat": 1.0}
"""How much the texts of a label count in all: an injection-like harmless text is where mistakes are made."""
LIMITS = (
    {"ordinary": 0.0078, "chat": 0.013, "harmless": 0.043},
    {"ordinary": 0.0025, "chat": 0.003, "harmless": 0.023},
)
"""Most that may be quarantined of each kind of such texts, when their sources were not trained on, by column."""
FOLDS = 4
ROUNDS, BATCH, RATE, PENALTY = 8, 128, 0.3, 1e-6
SCALE = 1 / 20
"""Of a sum while training: the first steps of AdaGrad are large."""
EASY = 0.002
"""Negative sentences with a lower probability are skipped in a round."""
SHIPPED = Guard()
THRESHOLDS = (SHIPPED.untrusted, SHIPPED.owner)
Sentences = list[NDArray[np.int64]]


@dataclass(frozen=True)
class Texts:
    """Samples with the buckets of their sentences, end to end.

    `owner`: the sample of each sentence; sentence i has the buckets `ends[i]` to `ends[i + 1]`.
    """

    samples: Sequence[Sample]
    buckets: NDArray[np.int64]
    ends: NDArray[np.int64]
    owner: NDArray[np.int64]

    @classmethod
    def of(cls, samples: Sequence[Sample]) -> Texts:
        """Read the texts of samples."""
        read_texts = [sentences(each.text) for each in samples]
        every = [each for some in read_texts for each in some]
        ends = np.concatenate(([0], np.cumsum([len(each) for each in every])))
        owner = np.repeat(np.arange(len(samples)), [len(each) for each in read_texts])
        return cls(samples, np.concatenate(every), ends, owner)

    def scores(self, weights: NDArray[np.float32], bias: float) -> NDArray[np.float64]:
        """Return the sum of each sentence."""
        sums = np.add.reduceat(weights[self.buckets], self.ends[:-1])
        return np.asarray(sums / np.diff(self.ends) ** DAMPING + bias, dtype=np.float64)

    def worst(self, weights: NDArray[np.float32], bias: float) -> NDArray[np.float64]:
        """Return the highest sum of each text."""
        found = np.full(len(self.samples), -50.0)
        np.maximum.at(found, self.owner, self.scores(weights, bias))
        return found


def sentences(text: str) -> Sentences:
    """Return the buckets of each sentence of each view of a text."""
    return [hashed(each) for each in sentence_features(read(text))]


def train(texts: Texts) -> Model:
    """Return the model of some texts, its bias set by cross-validation over their sources."""
    used = np.ones(len(texts.samples), dtype=bool)
    columns = [fit(texts, used, column) for column in range(len(POISON))]
    bias = [_calibrated(texts, column) + columns[column][1] for column in range(len(POISON))]
    model = Model(np.stack([weights for weights, _ in columns]), np.array(bias, dtype=np.float32))
    return Model(model.weights, model.bias, signature(texts.samples))


def signature(samples: Sequence[Sample]) -> bytes:
    """Return the digest of all texts with their labels, of the features of every eighth, and of the settings."""

    def parts() -> Iterator[str]:
        for at, each in enumerate(samples):
            yield json.dumps([each.text, each.label, each.source])
            if at % 8 == 0:
                yield json.dumps([sorted(found) for found in sentence_features(read(each.text))])
        yield repr((SHARE, LIMITS, FOLDS, ROUNDS, BATCH, RATE, PENALTY, SCALE, EASY, BUCKETS, DAMPING))

    return digest(parts())


def fit(texts: Texts, used: NDArray[np.bool_], column: int) -> tuple[NDArray[np.float32], float]:
    """Return weights and bias of a column, learnt from the used texts."""
    labels = [each.label for each in texts.samples]
    many = Counter(label for label, use in zip(labels, used, strict=True) if use)
    positive = np.array([label in POISON[column] for label in labels])[texts.owner]
    shares = {label: SHARE[label] / times for label, times in many.items()}
    counts = (np.array([shares.get(label, 0.0) for label in labels]) * used)[texts.owner]
    sizes = np.diff(texts.ends)
    damped = SCALE * (200.0 / sizes) ** DAMPING
    weights, bias = np.zeros(BUCKETS, dtype=np.float64), -1.0
    squares, bias_square = np.full(BUCKETS, 1e-8), 1e-8
    chance = np.random.default_rng(1)
    candidates = np.flatnonzero(counts > 0)
    for turn in range(ROUNDS):
        chosen, share = candidates, counts[candidates]
        if turn == 0:
            # No sentence is known to be the worst yet: those of an attack share its count.
            together = np.bincount(texts.owner)[texts.owner[candidates]]
            share = np.where(positive[candidates], share / together, share)
        else:
            sums = np.add.reduceat(weights[texts.buckets], texts.ends[:-1]) * damped + bias
            last = _worst_of_each(texts.owner, sums)
            kept = np.where(positive, last, sums > logit(EASY))[candidates]
            chosen, share = candidates[kept], share[kept]
        share = share / share.mean()
        order = chance.permutation(len(chosen))
        for start in range(0, len(order), BATCH):
            picked = order[start : start + BATCH]
            rows = chosen[picked]
            names = np.concatenate([texts.buckets[texts.ends[row] : texts.ends[row + 1]] for row in rows])
            place = np.repeat(np.arange(len(rows)), sizes[rows])
            sums = np.bincount(place, weights[names], len(rows)) * damped[rows] + bias
            error = (1.0 / (1.0 + np.exp(-sums)) - positive[rows]) * share[picked]
            slope = np.bincount(names, (error * damped[rows])[place], BUCKETS) / len(rows) + PENALTY * weights
            squares += slope**2
            weights -= RATE * slope / np.sqrt(squares)
            bias_square += float(error.mean()) ** 2
            bias -= RATE * float(error.mean()) / bias_square**0.5
    return (weights * SCALE * 200.0**DAMPING).astype(np.float32), bias


def _worst_of_each(owner: NDArray[np.int64], sums: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Mark the sentence of each text that has the highest sum."""
    order = np.lexsort((sums, owner))
    last = np.append(owner[order][1:] != owner[order][:-1], True)
    worst = np.zeros(len(owner), dtype=bool)
    worst[order[last]] = True
    return worst


def crossed(texts: Texts, parts: NDArray[np.int64], column: int) -> NDArray[np.float64]:
    """Return the highest sum of each text by weights that were trained without its part."""
    found = np.zeros(len(texts.samples))
    for part in np.unique(parts):
        found[parts == part] = texts.worst(*fit(texts, parts != part, column))[parts == part]
    return found


def _calibrated(texts: Texts, column: int) -> float:
    """Return what must be added to the bias so that the guard's threshold keeps the LIMITS."""
    scores = crossed(texts, folds(texts.samples), column)
    labels = np.array([each.label for each in texts.samples])
    reached = []
    for label, share in LIMITS[column].items():
        mine = np.sort(scores[labels == label])[::-1]
        if len(mine):
            reached.append(float(mine[int(share * len(mine))]))
    return logit(THRESHOLDS[column]) - max(reached)


def folds(samples: Sequence[Sample]) -> NDArray[np.int64]:
    """Return the fold of each sample: all texts of a source are in one, sources of a label are dealt in turn."""
    dealt: dict[str, int] = {}
    turns = Counter[str]()
    for sample in samples:
        source = sample.source or sample.text
        if source not in dealt:
            dealt[source] = turns[sample.label] % FOLDS
            turns[sample.label] += 1
    return np.array([dealt[each.source or each.text] for each in samples])
