"""Training of the guard's weights: logistic regression with most signs fixed, by gradient steps.

A text counts by its worst sentence (multiple-instance learning): of an attack the sentence that scores highest
is the positive one, of a harmless text every sentence is a negative. There is no chance in it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bench.guard.kinds import is_attacking, signs
from bench.guard.measuring import SHIPPED
from bench.guard.samples import Sample
from combray.guard.disguises import read
from combray.guard.features import WORD
from combray.guard.injection import sentence_features
from combray.guard.weights import Model, Weights, score

SPARSITY = 0.00003
"""Of the sum of weights: what hardly helps gets none, so that the table stays short."""
PENALTY = 0.0001
"""Of half the sum of squared weights: keeps the weights of rare features small."""
ROUNDS = 4
"""How often the worst sentence of each attack is chosen anew."""
FEWEST = 4
"""Texts that have a feature before it is learnt."""
FEWEST_HARMLESS = 2
"""Harmless English texts that hold a word before it is learnt."""
COMMON = 0.01
"""Share of ordinary texts and chats from which on a word may only speak for a text."""
_STEPS = 300
_RATE = 0.05
SHARE = {"direct": 1.5, "indirect": 1.0, "harmless": 5.0, "ordinary": 2.0, "chat": 1.0}
"""How much the texts of a label count in all: an injection-like harmless text is where mistakes are made."""

FOLDS = 4
LIMITS = {
    False: {"ordinary": 0.005, "chat": 0.01, "harmless": 0.035},
    True: {"ordinary": 0.002, "chat": 0.005, "harmless": 0.02},
}
"""Most that may be kept apart of each kind of such texts, when they were not trained on; True: of the owner's."""

Bag = list[set[str]]


def train(samples: Sequence[Sample]) -> Model:
    """Both tables of weights. For the owner's, orders about answers are harmless and their features unknown."""
    bags = [bag(sample.text) for sample in samples]
    return Model(
        outside=_calibrated(samples, bags, ("direct", "indirect"), SHIPPED.untrusted, owner=False),
        owner=_calibrated(samples, bags, ("direct",), SHIPPED.owner, owner=True),
    )


def _calibrated(
    samples: Sequence[Sample], bags: Sequence[Bag], poison: Sequence[str], threshold: float, *, owner: bool
) -> Weights:
    """Trained on all; the bias moved so that the guard's threshold keeps the LIMITS in cross-validation."""
    scores: dict[str, list[float]] = {}
    for fold in range(FOLDS):
        learnt = [at for at in range(len(samples)) if at % FOLDS != fold]
        weighed = fit([samples[at] for at in learnt], [bags[at] for at in learnt], poison, owner=owner)
        for sample, sentences in list(zip(samples, bags, strict=True))[fold::FOLDS]:
            worst = max((score(present, weighed) for present in sentences), default=0.0)
            scores.setdefault(sample.label, []).append(worst)
    reached = max(
        sorted(scores[label], reverse=True)[int(share * len(scores[label]))]
        for label, share in LIMITS[owner].items()
        if label in scores
    )
    weighed = fit(samples, bags, poison, owner=owner)
    return Weights(round(weighed.bias + _logit(threshold) - _logit(reached), 2), weighed.weights)


def _logit(share: float) -> float:
    return math.log(share / (1.0 - share))


def bag(text: str) -> Bag:
    """Features of each sentence of each reading of a text."""
    return [present for view in sentence_features(read(text)) for present in view]


def fit(samples: Sequence[Sample], bags: Sequence[Bag], poison: Sequence[str], *, owner: bool) -> Weights:
    """Weights for texts of which those with a label of `poison` are attacks."""
    many = Counter(name for sentences in bags for name in set().union(*sentences))
    english, common = _words(samples, bags)
    names = sorted(
        name
        for name, times in many.items()
        if times >= FEWEST and (is_attacking(name) or not owner) and (name[0] != WORD or name in english)
    )
    place = {name: at for at, name in enumerate(names)}
    rows = [
        [np.array([place[name] for name in sorted(one) if name in place], int) for one in each] for each in bags
    ]
    labels = Counter(sample.label for sample in samples)
    may = np.array([(True, False) if name in common else signs(name) for name in names])
    values, bias = np.where(may[:, 1] & ~may[:, 0], 0.3, 0.0), -3.0
    for _ in range(ROUNDS):
        chosen, wanted, counts = [], [], []
        for sample, found in zip(samples, rows, strict=True):
            positive = sample.label in poison
            worst = [max(found, key=lambda row: values[row].sum())] if positive and found else found
            chosen += worst
            wanted += [float(positive)] * len(worst)
            counts += [SHARE[sample.label] / labels[sample.label]] * len(worst)
        values, bias = _descend(chosen, np.array(wanted), np.array(counts), values, bias, may)
    kept = {name: round(float(value), 2) for name, value in zip(names, values, strict=True) if round(value, 2)}
    return Weights(round(float(bias), 2), kept)


def _words(samples: Sequence[Sample], bags: Sequence[Bag]) -> tuple[set[str], set[str]]:
    """Words that may be learnt, and those of them that are common in ordinary text.

    Only words that some harmless English texts hold: else a language or a topic would be the sign of an attack.
    """
    held, plain, texts = Counter[str](), Counter[str](), 0
    for sample, sentences in zip(samples, bags, strict=True):
        if sample.poison or sample.language != "en":
            continue
        words = {name for name in set().union(*sentences) if name[0] == WORD}
        held.update(words)
        if sample.label != "harmless":
            texts += 1
            plain.update(words)
    return (
        {name for name, times in held.items() if times >= FEWEST_HARMLESS},
        {name for name, times in plain.items() if times > COMMON * texts},
    )


def _descend(
    rows: Sequence[NDArray[np.int_]],
    wanted: NDArray[np.float64],
    counts: NDArray[np.float64],
    values: NDArray[np.float64],
    bias: float,
    may: NDArray[np.bool_],
) -> tuple[NDArray[np.float64], float]:
    """Gradient steps of Adam; after each, weights shrink by SPARSITY and signs are put right."""
    counts = counts / counts.sum()
    names, owners = np.concatenate(rows), np.repeat(np.arange(len(rows)), [len(row) for row in rows])
    mean, square = np.zeros(len(values) + 1), np.zeros(len(values) + 1)
    for step in range(1, _STEPS + 1):
        expected = 1.0 / (1.0 + np.exp(-(np.bincount(owners, values[names], len(rows)) + bias)))
        error = (expected - wanted) * counts
        slope = np.bincount(names, error[owners], len(values)) + PENALTY * values + SPARSITY * np.sign(values)
        gradient = np.append(slope, error.sum())
        mean, square = 0.9 * mean + 0.1 * gradient, 0.999 * square + 0.001 * gradient**2
        move = _RATE * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
        values = values - move[:-1]
        values = np.where((values > 0) & ~may[:, 1] | (values < 0) & ~may[:, 0], 0.0, values)
        bias -= float(move[-1])
    return np.where(np.abs(values) < 0.03, 0.0, values), bias
