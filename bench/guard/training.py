"""Training of the guard's weights: logistic regression with most signs fixed, by gradient steps.

A text counts by its worst sentence (multiple-instance learning): of an attack the sentence that scores highest
is the positive one, of a harmless text every sentence is a negative. There is no chance in it. The weights of
distances (`fit_context`) are trained after the others, on documents with and without an injected sentence.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bench.guard.carriers import injected, training_attacks, training_carriers
from bench.guard.kinds import is_attacking, signs
from bench.guard.samples import Sample, training
from combray.guard.context import STEPS, WITH, WordVectors
from combray.guard.disguises import read
from combray.guard.features import WORD
from combray.guard.injection import found_in
from combray.guard.weights import Context, Model, Weights, raised, score
from combray.remember.guard import Guard

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
_SAMPLED = 8
"""One in so many texts whose features the digest holds: reading all takes half a minute."""
_RATE = 0.05
SHARE = {"direct": 1.5, "indirect": 1.0, "harmless": 5.0, "ordinary": 2.0, "chat": 1.0}
"""How much the texts of a label count in all: an injection-like harmless text is where mistakes are made."""

FOLDS = 4
LIMITS = {
    False: {"ordinary": 0.0078, "chat": 0.013, "harmless": 0.043},
    True: {"ordinary": 0.0025, "chat": 0.003, "harmless": 0.023},
}
"""Most that may be kept apart of each kind of such texts, when their sources were not trained on; True: of the
owner's."""
CONTEXT_LIMIT = 0.008
"""Most of the clean documents that distances may bring above the threshold."""
SHIPPED = Guard()

Bag = list[set[str]]
Placed = list[tuple[set[str], tuple[str, ...] | None]]


def train(samples: Sequence[Sample]) -> Model:
    """Both tables of weights. For the owner's, orders about answers are harmless and their features unknown."""
    usable = [each for each in samples if each.label != "task"]
    bags = [bag(sample.text) for sample in usable]
    return Model(
        outside=_calibrated(usable, bags, ("direct", "indirect"), SHIPPED.untrusted, owner=False),
        owner=_calibrated(usable, bags, ("direct",), SHIPPED.owner, owner=True),
    )


def train_all(vectors: WordVectors) -> Model:
    """Return the model that is shipped: trained on the fixed texts, with the weights of distances."""
    samples = training()
    made = train(samples)
    carriers = training_carriers()
    context = fit_context([*carriers, *injected(carriers, training_attacks(), 1)], made.outside, vectors)
    return Model(made.outside, made.owner, context, digest(samples))


def digest(samples: Sequence[Sample]) -> str:
    """Return the SHA-256 of all texts with their labels, and of the features of every eighth.

    Training has no chance in it, so weights with this digest are those of these texts and features.
    """
    hashed = hashlib.sha256()
    for at, sample in enumerate(samples):
        row: list[object] = [sample.text, sample.label, sample.language, sample.source]
        if at % _SAMPLED == 0:
            row.append([sorted(present) for present in bag(sample.text)])
        hashed.update(json.dumps(row).encode())
    for settings in (SHARE, LIMITS, SPARSITY, PENALTY, ROUNDS, FEWEST, FEWEST_HARMLESS, COMMON, CONTEXT_LIMIT):
        hashed.update(repr(settings).encode())
    return hashed.hexdigest()


def folds(samples: Sequence[Sample]) -> list[int]:
    """Return the fold of each sample: all texts of a source are in one, sources of a label are dealt in turn."""
    dealt: dict[str, int] = {}
    turns = Counter[str]()
    found = []
    for sample in samples:
        source = sample.source or sample.text
        if source not in dealt:
            dealt[source] = turns[sample.label] % FOLDS
            turns[sample.label] += 1
        found.append(dealt[source])
    return found


def crossed(
    samples: Sequence[Sample], bags: Sequence[Bag], poison: Sequence[str], *, owner: bool
) -> list[tuple[Sample, float]]:
    """Return every sample with its score by weights that were trained without its source."""
    scored = []
    parts = folds(samples)
    for fold in range(FOLDS):
        learnt = [at for at, part in enumerate(parts) if part != fold]
        weighed = fit([samples[at] for at in learnt], [bags[at] for at in learnt], poison, owner=owner)
        for at, part in enumerate(parts):
            if part == fold:
                worst = max((score(present, weighed) for present in bags[at]), default=0.0)
                scored.append((samples[at], worst))
    return scored


def _calibrated(
    samples: Sequence[Sample], bags: Sequence[Bag], poison: Sequence[str], threshold: float, *, owner: bool
) -> Weights:
    """Trained on all; the bias moved so that the guard's threshold keeps the LIMITS in cross-validation."""
    scores: dict[str, list[float]] = {}
    for sample, worst in crossed(samples, bags, poison, owner=owner):
        scores.setdefault(sample.label, []).append(worst)
    reached = max(
        sorted(scores[label], reverse=True)[int(share * len(scores[label]))]
        for label, share in LIMITS[owner].items()
        if label in scores
    )
    weighed = fit(samples, bags, poison, owner=owner)
    return Weights(round(weighed.bias + _logit(threshold) - _logit(reached), 2), weighed.weights)


def fit_context(documents: Sequence[Sample], outside: Weights, vectors: WordVectors) -> Context:
    """Return weights of distances, added to those of `outside`, which stay as they are.

    They may only raise a score. The bias is set so that CONTEXT_LIMIT of the clean documents, those trained on,
    reach the guard's threshold by their distances.
    """
    placed = [_placed(each.text, vectors) for each in documents]
    names = [f"far:{at}{kind}" for at in range(len(STEPS)) for kind in ("", *(f"&{each}" for each in WITH))]
    place = {name: at for at, name in enumerate(names)}
    base = [[_sum(present, outside) for present, _ in each] for each in placed]
    rows = [[np.array([place[name] for name in far or ()], int) for _, far in each] for each in placed]
    values, bias = np.full(len(names), 0.3), -1.0
    may = np.array([(False, True)] * len(names))
    for _ in range(ROUNDS):
        chosen, offsets, wanted, counts = [], [], [], []
        for sample, each, sums, far in zip(documents, placed, base, rows, strict=True):
            known = [at for at, (_, steps) in enumerate(each) if steps is not None]
            if not known:
                continue
            if sample.poison:
                known = [max(known, key=lambda at: sums[at] + values[far[at]].sum())]
            share = 1.0 if sample.poison else 3.0
            for at in known:
                chosen.append(far[at])
                offsets.append(sums[at])
                wanted.append(float(sample.poison))
                counts.append(share)
        values, bias = _descend(
            chosen, np.array(wanted), np.array(counts), values, bias, may, offsets=np.array(offsets)
        )
    kept = {name: round(float(value), 2) for name, value in zip(names, values, strict=True) if round(value, 2)}
    made = Weights(round(float(bias), 2), kept)
    clean = [each for sample, each in zip(documents, placed, strict=True) if not sample.poison]
    for bias in np.arange(made.bias, made.bias - 12.0, -0.1):
        made = Weights(round(float(bias), 2), kept)
        worst = [max((_document_score(one, outside, made) for one in each), default=0.0) for each in clean]
        without = [
            max((_document_score((one[0], None), outside, made) for one in each), default=0.0) for each in clean
        ]
        new = sum(a >= SHIPPED.untrusted > b for a, b in zip(worst, without, strict=True))
        if new <= CONTEXT_LIMIT * len(clean):
            break
    return Context(vectors.name, made)


def _placed(text: str, vectors: WordVectors) -> Placed:
    return [(each.present, each.far) for view in found_in(read(text), vectors=vectors) for each in view]


def _sum(present: set[str], weighed: Weights) -> float:
    return weighed.bias + sum(weighed.weights.get(name, 0.0) for name in sorted(present))


def _document_score(one: tuple[set[str], tuple[str, ...] | None], outside: Weights, far: Weights) -> float:
    present, steps = one
    return score(present, outside, 0.0 if steps is None else raised(steps, far))


def _logit(share: float) -> float:
    return math.log(share / (1.0 - share))


def bag(text: str) -> Bag:
    """Features of each sentence of each reading of a text."""
    return [each.present for view in found_in(read(text)) for each in view]


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
    offsets: NDArray[np.float64] | float = 0.0,
) -> tuple[NDArray[np.float64], float]:
    """Gradient steps of Adam; after each, weights shrink by SPARSITY and signs are put right."""
    counts = counts / counts.sum()
    names, owners = np.concatenate(rows), np.repeat(np.arange(len(rows)), [len(row) for row in rows])
    mean, square = np.zeros(len(values) + 1), np.zeros(len(values) + 1)
    for step in range(1, _STEPS + 1):
        expected = 1.0 / (1.0 + np.exp(-(np.bincount(owners, values[names], len(rows)) + bias + offsets)))
        error = (expected - wanted) * counts
        slope = np.bincount(names, error[owners], len(values)) + PENALTY * values + SPARSITY * np.sign(values)
        gradient = np.append(slope, error.sum())
        mean, square = 0.9 * mean + 0.1 * gradient, 0.999 * square + 0.001 * gradient**2
        move = _RATE * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
        values = values - move[:-1]
        values = np.where((values > 0) & ~may[:, 1] | (values < 0) & ~may[:, 0], 0.0, values)
        bias -= float(move[-1])
    return np.where(np.abs(values) < 0.03, 0.0, values), bias
