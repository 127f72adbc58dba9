"""How probable it is that one of the first three hits answers: a logistic model of the evidence.

Fitted on questions with and without an answer, each set with the same weight: an author's notes at four sizes,
the read sets of notes, LoCoMo, and small conversations in Chinese and Vietnamese. `python -m bench.judge` prints
the share of answers at .8 and more that are right (bench/results/evidence.md).
Source: Platt, "Probabilistic outputs for support vector machines", 1999.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Literal

Level = Literal["none", "static", "contextual"]
"""The kind of vectors: without an embedder, static, contextual."""

WEIGHTS: Mapping[Level, tuple[float, float, float]] = {
    "none": (-2.80, 6.39, -0.145),
    "static": (-3.62, 6.24, -0.129),
    "contextual": (-3.58, 9.09, -0.151),
}
"""Bias, and weights of the share of the question that the best hit meets and of ln n."""


def confidence_of(level: Level, met: float, trials: int) -> float:
    """Return a probability, rounded to four decimals: `met` is in [0, 1], `trials` at least 1."""
    bias, by_met, by_size = WEIGHTS[level]
    return round(1.0 / (1.0 + math.exp(-(bias + by_met * met + by_size * math.log(trials)))), 4)
