"""The model of evidence: how probable it is that memories answer a question, and that one of them does.

Three logistic models for each level of embedder and shape of store. Each weight (`answers.json`) says what its
feature adds to the log-odds. They were trained by `python -m bench.evidence --train`.
Features: `combray.recall.answer_features`.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

_WEIGHTS = Path(__file__).with_name("answers.json")


class Weights(msgspec.Struct, frozen=True, dict=True):
    """Weight by feature, and the log-odds without any. Features that are not named weigh nothing."""

    weights: dict[str, float]
    bias: float

    def log_odds(self, names: tuple[str, ...], values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the log-odds of rows of features, shape (rows, names) or (names,)."""
        vectors: dict[Any, NDArray[np.float64]] = self.__dict__
        if names not in vectors:
            vectors[names] = np.array([self.weights.get(name, 0.0) for name in names])
        found: NDArray[np.float64] = np.asarray(values @ vectors[names] + self.bias).round(6)
        return found


class AnswerModels(msgspec.Struct, frozen=True):
    """The models and bounds of a level and a shape of store.

    `hit`: of a hit; one that is more than `gap` below the best is dropped. `answer`: of the answer as a whole;
    below `refuse` nothing is answered. `topic`: whether the store has the topic; below `far` nothing is answered.
    """

    hit: Weights
    answer: Weights
    topic: Weights
    refuse: float
    far: float
    gap: float


Level = Mapping[Literal["turns", "notes"], AnswerModels]
"""By the shape of the store: turns of a conversation, or notes."""


@functools.cache
def levels() -> dict[str, Level]:
    """Return the models by level: "none", "static", "contextual"."""
    return msgspec.json.decode(_WEIGHTS.read_bytes(), type=dict[str, Level])
