"""The ranker of revisions: how probable it is that a later text changes an earlier memory.

Two linear models for each level of embedder: without vectors, with static ones, with contextual ones. The first
orders the candidates of a text; it was trained to choose among them (a conditional logit), so it learns nothing
from how much texts or stores differ. The second says how probable it is that the best candidate is right. The
weights (`ranker.json`) were trained by `bench/truth/training.py` on stories about facts that change. Features
and their order: `combray.facts.candidates.FEATURES`.

Source: McFadden, "Conditional logit analysis of qualitative choice behavior", 1974.
"""

from __future__ import annotations

import functools
import math
from importlib.resources import files
from typing import Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from combray.records import known

Level = Literal["none", "static", "contextual"]
"""What kind of vectors the cosines come from."""
Row = NDArray[np.float64]
"""One value for each feature, or for each candidate."""

WINDOW = 256
"""Writes whose best scores are kept, for the threshold of the next one."""
WARM = 50
"""Writes until a store's own scores decide instead of the shipped threshold."""
_STEPS = 255

OF_LIST = ("best", "lead", "rivals", "candidates", "above mean")
"""What the second model knows beside the best candidate's features, in the order of `of_list`."""
_ALONE = 5.0
"""Lead of a candidate without a second one."""


class _Trained(msgspec.Struct, frozen=True):
    choice: list[float]
    chance: list[float]
    bias: float
    raise_from: float


class Ranker(msgspec.Struct, frozen=True):
    """Weights of the features for the order, of `of_list` and the best one's features for the probability.

    `raise_from` is the probability from which a suggestion is raised until a store has a history of its own.
    """

    choice: Row
    chance: Row
    bias: float
    raise_from: float

    def probabilities(self, features: NDArray[np.float64]) -> Row:
        """Return for each row of features, one a candidate, how probable it is that the text changes it.

        The best one's comes from the second model, the others' are in proportion to their odds of being chosen.
        """
        scores: Row = features @ self.choice
        best = int(scores.argmax())
        odds = float(np.concatenate([of_list(scores), features[best]]) @ self.chance) + self.bias
        chance: float = 1.0 / (1.0 + math.exp(-odds))
        others: Row = np.exp(scores - float(scores[best]))
        return others * chance


def of_list(scores: Row) -> Row:
    """Return how the best score stands among all of a text: `OF_LIST`."""
    ranked = np.sort(scores)[::-1]
    best = ranked[0]
    lead = best - ranked[1] if len(ranked) > 1 else _ALONE
    rivals = np.log(np.exp(scores - best).sum())
    return np.array([best, lead, rivals, np.log(len(scores)), best - scores.mean()])


class _RankerFile(msgspec.Struct, frozen=True):
    features: list[str]
    levels: dict[str, _Trained]
    showing: dict[str, float]


@functools.cache
def _file() -> _RankerFile:
    return msgspec.json.decode(files(__package__).joinpath("ranker.json").read_bytes(), type=known(_RankerFile))


def feature_names() -> list[str]:
    """Return the names of the columns that the weights were trained with, in order."""
    return _file().features


def showing() -> dict[str, float]:
    """Return the weights with which recall decides whether a later statement matters (`facts.later.chance`)."""
    return _file().showing


@functools.cache
def ranker(level: Level) -> Ranker:
    """Return the shipped ranker of a level."""
    trained = _file().levels[level]
    return Ranker(np.array(trained.choice), np.array(trained.chance), trained.bias, trained.raise_from)


def probabilities(features: NDArray[np.float64], level: Level) -> NDArray[np.float64]:
    """Return the probability of each row, 0-1, rounded so that every machine decides alike."""
    found = np.clip(ranker(level).probabilities(features), 1e-6, 1 - 1e-6)
    result: NDArray[np.float64] = np.round(found, 6).astype(np.float64)
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
