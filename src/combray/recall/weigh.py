"""Combining signals into one score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from combray.recall.state import Recalling
from combray.runtime import Runtime, Scores
from combray.scoring.ranking import DECIMALS

Places = NDArray[np.int64]

WITH_EMBEDDINGS: Mapping[str, Mapping[str, float]] = {
    "WHY": {"keyword": 0.10, "entity": 0.10, "similarity": 0.30, "graph": 0.50},
    "WHEN": {"keyword": 0.15, "entity": 0.15, "similarity": 0.30, "graph": 0.40},
    "ENTITY": {"keyword": 0.20, "entity": 0.40, "similarity": 0.20, "graph": 0.20},
    "GENERAL": {"keyword": 0.25, "entity": 0.25, "similarity": 0.25, "graph": 0.25},
}
"""Source: Mnemon design, section 5.2 step 4; see docs/reference/presets.md."""

WITHOUT_EMBEDDINGS: Mapping[str, Mapping[str, float]] = {
    "WHY": {"keyword": 0.20, "entity": 0.10, "similarity": 0.0, "graph": 0.70},
    "WHEN": {"keyword": 0.25, "entity": 0.15, "similarity": 0.0, "graph": 0.60},
    "ENTITY": {"keyword": 0.30, "entity": 0.50, "similarity": 0.0, "graph": 0.20},
    "GENERAL": {"keyword": 0.35, "entity": 0.35, "similarity": 0.0, "graph": 0.30},
}
"""WHY is the example of that design. The other rows follow its published code: they are not proportional."""


@dataclass(frozen=True)
class WeightedSumByIntent:
    """Weighted sum of four signals, with weights by intent and a second table for recall without vectors."""

    needs: ClassVar[tuple[str, ...]] = ("keyword", "entity", "similarity", "graph_signal", "intent")
    gives: ClassVar[tuple[str, ...]] = ("score",)
    embedded: Mapping[str, Mapping[str, float]] = field(default_factory=lambda: WITH_EMBEDDINGS)
    without: Mapping[str, Mapping[str, float]] = field(default_factory=lambda: WITHOUT_EMBEDDINGS)

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if not len(state.keys):
            return state
        table = self.embedded if state.vector is not None else self.without
        state.scores = weighted_sum(state, table[state.intent])
        sort(state)
        return state


def weighted_sum(state: Recalling, weights: Mapping[str, float]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Sum of weight times signal over the signals there are."""
    total = np.zeros(len(state.keys))
    for name, weight in weights.items():
        if weight and name in state.signals:
            total += weight * state.signals[name]
    return np.round(total, DECIMALS)


def sort(state: Recalling) -> None:
    """Best first; ties by importance, then by id."""
    importance = state.columns().importance
    order = np.lexsort((state.keys, -importance, -state.scores))
    state.take(_by_id_where_equal(state, order, importance))


def _by_id_where_equal(state: Recalling, order: Places, importance: Scores) -> Places:
    """Ids are read only for memories that nothing else tells apart."""
    scores, weights = state.scores[order], importance[order]
    same = (scores[1:] == scores[:-1]) & (weights[1:] == weights[:-1])
    if not same.any():
        return order
    tied = np.append(same, False) | np.append(False, same)
    group = np.cumsum(~np.append(False, same))[tied]
    ids = np.array(state.reader.ids(state.keys[order[tied]]))
    order = order.copy()
    order[tied] = order[tied][np.lexsort((ids, group))]
    return order


@dataclass(frozen=True)
class Cut:
    """Keeps the best `limit` candidates with at least the caller's minimum score."""

    needs: ClassVar[tuple[str, ...]] = ("score",)
    gives: ClassVar[tuple[str, ...]] = ("top",)

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if state.min_score is not None and state.min_score > 0 and len(state.keys):
            state.take(state.scores >= state.min_score)
            if not len(state.keys):
                state.reason = f"no memory scores {state.min_score} or more"
        state.take(np.arange(min(state.limit, len(state.keys))))
        return state
