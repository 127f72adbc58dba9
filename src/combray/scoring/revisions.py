"""The ranker of revisions: how probable it is that a later text changes an earlier memory.

One forest for each level of embedder: without vectors, with static ones, with contextual ones. The weights
(`revisions.json`) were trained by `bench/truth/training.py` on stories about facts that change, all stories of a
language in one store. Features and their order: `combray.remember.revisions.FEATURES`.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from combray.scoring.forest import Forest

_WEIGHTS = Path(__file__).with_name("revisions.json")


Level = Literal["none", "static", "contextual"]
"""What kind of vectors the cosines come from."""

WINDOW = 256
"""Writes whose best scores are kept, for the threshold of the next one."""
WARM = 50
"""Writes until a store's own scores decide instead of the shipped threshold."""
_STEPS = 255


class _Trained(msgspec.Struct, frozen=True):
    columns: list[list[int]]
    thresholds: list[list[float]]
    values: list[list[float]]
    bias: float
    raise_from: float


class Ranker(msgspec.Struct, frozen=True):
    """A forest, and the probability from which a suggestion is raised until a store has a history of its own."""

    forest: Forest
    raise_from: float


class _File(msgspec.Struct, frozen=True):
    features: list[str]
    levels: dict[str, _Trained]


@functools.cache
def _file() -> _File:
    return msgspec.json.decode(_WEIGHTS.read_bytes(), type=_File)


def feature_names() -> list[str]:
    """Return the names of the columns that the weights were trained with, in order."""
    return _file().features


@functools.cache
def ranker(level: Level) -> Ranker:
    """Return the shipped ranker of a level."""
    trained = _file().levels[level]
    tables = (np.array(trained.columns, dtype=np.int64), np.array(trained.thresholds), np.array(trained.values))
    return Ranker(Forest(*tables, trained.bias), trained.raise_from)


def probabilities(features: NDArray[np.float64], level: Level) -> NDArray[np.float64]:
    """Return the probability of each row, 0-1, rounded so that every machine decides alike."""
    odds = ranker(level).forest.log_odds(features)
    result: NDArray[np.float64] = np.round(1.0 / (1.0 + np.exp(-odds)), 6)
    return result


class Budget:
    """The best scores of recent writes, each as one byte: which score the given share of them exceeds.

    A threshold that is right for one kind of text raises far too much or nothing for another
    (bench/results/truth.md), so each namespace is calibrated by its own writes.
    """

    def __init__(self, scores: bytes, share: float, raise_from: float) -> None:
        self.scores = scores[-WINDOW:]
        self._share, self._raise_from = share, raise_from

    def raises(self, score: float) -> bool:
        """Count a write's best score; return whether a suggestion is within the budget.

        After `WARM` writes: whether the score exceeds all but the given share of those before it.
        """
        code = round(score * _STEPS)
        if len(self.scores) < WARM:
            enough = self._share > 0 and score >= self._raise_from
        else:
            rank = int(self._share * len(self.scores))
            enough = rank > 0 and code > sorted(self.scores, reverse=True)[rank]
        self.scores = (self.scores + bytes((code,)))[-WINDOW:]
        return enough
