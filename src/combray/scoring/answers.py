"""The model of evidence: how probable it is that memories answer a question, and that one of them does.

Two logistic models for each level of embedder. Each weight (`answers.json`) says what its feature adds to the
log-odds. They were trained by `python -m bench.evidence --train`. Features: `combray.recall.answer_features`.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

_WEIGHTS = Path(__file__).with_name("answers.json")


class Weights(msgspec.Struct, frozen=True):
    """Weight by feature, and the log-odds without any. Features that are not named weigh nothing."""

    weights: dict[str, float]
    bias: float

    def log_odds(self, names: tuple[str, ...], values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the log-odds of rows of features, shape (rows, names) or (names,)."""
        found: NDArray[np.float64] = values @ _vector(self, names) + self.bias
        return np.round(found, 6)


class Level(msgspec.Struct, frozen=True):
    """The models of a level and their bounds, each by the kind of store: "turns" of a conversation, or "notes".

    `answer`: of the answer as a whole; below `refuse` nothing is answered. `hit`: of a hit; one that is more
    than `gap` below the best is dropped.
    """

    answer: Weights
    refuse: Mapping[str, float]
    hit: Weights
    gap: Mapping[str, float]


@functools.cache
def levels() -> dict[str, Level]:
    """Return the models by level: "none", "static", "contextual"."""
    return msgspec.json.decode(_WEIGHTS.read_bytes(), type=dict[str, Level])


def _vector(weights: Weights, names: tuple[str, ...]) -> NDArray[np.float64]:
    return np.array([weights.weights.get(name, 0.0) for name in names])
