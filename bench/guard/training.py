"""Training of the guard's weights: logistic regression with signs fixed, by projected gradient steps.

A text counts by its worst sentence (multiple-instance learning): of an attack the sentence that scores highest
is the positive one, of a harmless text every sentence is a negative. There is no chance in it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bench.guard.samples import Sample
from combray.guard.detecting import Model, Weights, sentence_features
from combray.guard.features import NAMES, STEERING
from combray.guard.normalising import read

_AGAINST = frozenset(("quoted", "about", "first_person", "reported", "question"))
"""Features that may only speak for a text; all others only against it."""
PENALTY = 0.003
"""Of the sum of squared weights: keeps the weights of rare features small."""
ROUNDS = 8
"""How often the worst sentence of each attack is chosen anew."""
_STEPS = 600
_RATE = 4.0


SHARE = {"direct": 1.0, "indirect": 1.0, "harmless": 4.0, "ordinary": 1.0}
"""How much the texts of a label count in all: an injection-like harmless text is where mistakes are made."""


def train(samples: Sequence[Sample]) -> Model:
    """Both tables of weights. For the owner's, orders about answers are harmless and their features unknown."""
    bags = [_matrix(sample.text) for sample in samples]
    blind = np.array([name not in STEERING for name in NAMES])
    return Model(
        outside=_train(samples, bags, ("direct", "indirect"), np.ones(len(NAMES), dtype=bool)),
        owner=_train(samples, bags, ("direct",), blind),
    )


def _train(
    samples: Sequence[Sample], bags: Sequence[NDArray[np.float64]], poison: Sequence[str], seen: NDArray[np.bool_]
) -> Weights:
    signs = np.array([-1.0 if name in _AGAINST else 1.0 for name in NAMES]) * seen
    values = signs.copy()
    bias = -3.0
    for _ in range(ROUNDS):
        rows, wanted, counts = _instances(samples, bags, poison, values)
        values, bias = _fit(rows, wanted, counts, values, bias, signs)
    kept = {name: round(float(value), 2) for name, value in zip(NAMES, values, strict=True) if round(value, 2)}
    return Weights(round(float(bias), 2), kept)


def _matrix(text: str) -> NDArray[np.float64]:
    found = [present for view in sentence_features(read(text)) for present in view]
    return np.array([[float(name in present) for name in NAMES] for present in found]).reshape(-1, len(NAMES))


def _instances(
    samples: Sequence[Sample],
    bags: Sequence[NDArray[np.float64]],
    poison: Sequence[str],
    values: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Feature rows, whether each is poison, and how much each counts."""
    rows, wanted, counts = [], [], []
    many = Counter(sample.label for sample in samples)
    for sample, bag in zip(samples, bags, strict=True):
        if not len(bag):
            continue
        positive = sample.label in poison
        chosen = bag[[int(np.argmax(bag @ values))]] if positive else bag
        rows.append(chosen)
        wanted += [float(positive)] * len(chosen)
        counts += [SHARE[sample.label] / many[sample.label]] * len(chosen)
    return np.concatenate(rows), np.array(wanted), np.array(counts)


def _fit(
    rows: NDArray[np.float64],
    wanted: NDArray[np.float64],
    counts: NDArray[np.float64],
    values: NDArray[np.float64],
    bias: float,
    signs: NDArray[np.float64],
) -> tuple[NDArray[np.float64], float]:
    counts = counts / counts.sum()
    for _ in range(_STEPS):
        expected = 1.0 / (1.0 + np.exp(-(rows @ values + bias)))
        error = (expected - wanted) * counts
        values = values - _RATE * (rows.T @ error + PENALTY / len(values) * values)
        values = np.where(values * signs > 0, values, 0.0)
        bias -= _RATE * float(error.sum())
    return values, bias
