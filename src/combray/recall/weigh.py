"""Ranked lists and signals combined into one score."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from combray.forms.recalling import Recalling
from combray.pipeline import stage
from combray.recall.keep import drop_weak
from combray.runtime import Runtime, Scores
from combray.scoring.ranking import DECIMALS


def weighted_sum(state: Recalling, weights: Mapping[str, float]) -> Scores:
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
    scores, weights = state.scores[order], importance[order]
    same = (scores[1:] == scores[:-1]) & (weights[1:] == weights[:-1])
    if same.any():
        # Ids are read only for memories of equal score and importance.
        tied = np.append(same, False) | np.append(False, same)
        group = np.cumsum(~np.append(False, same))[tied]
        ids = np.array(state.reader.ids(state.keys[order[tied]]))
        order[tied] = order[tied][np.lexsort((ids, group))]
    state.take(order)


@stage
class Cut:
    """Keeps the best `limit` candidates with at least the caller's minimum score and share of the best score."""

    needs = ("score",)
    gives = ("top",)

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if state.asked.min_score is not None and state.asked.min_score > 0 and len(state.keys):
            state.take(state.scores >= state.asked.min_score)
            if not len(state.keys):
                state.reason = f"no memory scores {state.asked.min_score} or more"
        drop_weak(state, 0.0)
        if len(state.keys) > state.asked.limit:
            state.take(np.arange(state.asked.limit))
        return state
