"""The default preset's score: a weighted sum of its signals, then the session as prior."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from combray.recall.state import Recalling
from combray.recall.weigh import sort, weighted_sum
from combray.runtime import Runtime
from combray.scoring.minmax import minmax

Level = Literal["none", "static", "contextual"]

_COMMON = {
    "author": 0.25,
    "subject": 0.20,
    "role": 0.20,
    "time": 0.15,
    "date": 0.40,
    "answer": 0.10,
    "phrase": 0.05,
    "length": 0.15,
    "asks": -0.05,
}
LEVELS: Mapping[str, Mapping[str, float]] = {
    "none": {"context": 0.80, **_COMMON, "phrase": 0.02},
    "static": {"context": 0.50, "own": 0.25, "window": 0.20, **_COMMON},
    "contextual": {"context": 0.45, "own": 0.25, "window": 0.25, **_COMMON},
}
"""Weights by service level: no embedder, a static token table, a contextual sentence model. Round numbers
on a flat optimum: re-tuning on four conversations gains at most 0.6 points on the fifth
(bench/results/quality.md)."""

CONCLUSION: Mapping[str, float] = {"context": 0.30, "own": 0.35, "window": 0.35}
"""A question for a conclusion ("would she …") shares few words with its evidence: meaning counts more."""


@dataclass(frozen=True)
class WeighSignals:
    """Weighted sum of the signals. The less the embedder knows the query's language, the more keywords count."""

    needs = ("context", "question")
    gives = ("score",)
    levels: Mapping[str, Mapping[str, float]] = field(default_factory=lambda: LEVELS)
    conclusion: Mapping[str, float] = field(default_factory=lambda: CONCLUSION)

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if len(state.keys):
            state.scores = weighted_sum(state, self.weights(state))
        return state

    def weights(self, state: Recalling) -> dict[str, float]:
        """The weights for this query."""
        dense = state.vector is not None and "own" in state.signals
        level: Level = "none" if not dense else "contextual" if state.contextual else "static"
        weights = dict(self.levels[level])
        if dense:
            if state.question is not None and state.question.asks_conclusion:
                weights.update(self.conclusion)
            for name in ("own", "window"):
                weights["context"] += (1.0 - state.trust) * weights[name]
                weights[name] *= state.trust
        state.details["level"] = level
        return weights


@dataclass(frozen=True)
class SessionPrior:
    """Adds the best score within a memory's session, min-max scaled: answers are near other good matches."""

    needs = ("score",)
    gives = ()
    weight: float = 0.10
    weight_without_vectors: float = 0.05

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if not len(state.keys):
            return state
        session = state.columns().session
        # Memories outside any session stand for themselves.
        group = np.where(session >= 0, session, session.max(initial=0) + 1 + np.arange(len(session)))
        best = np.full(int(group.max()) + 1, -np.inf)
        np.maximum.at(best, group, state.scores)
        state.signals["session"] = minmax(best[group])
        weight = self.weight if state.vector is not None else self.weight_without_vectors
        state.scores = np.round(state.scores + weight * state.signals["session"], 6)
        return state


@dataclass(frozen=True)
class SortByScore:
    """Sorts candidates best first; ties by importance, then by id."""

    needs = ("score",)
    gives = ("sorted",)

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if len(state.keys):
            sort(state)
        return state


@dataclass(frozen=True)
class SpreadSessions:
    """In sessions of long turns, each further turn of a session counts a little less than its best ones.

    In talk of short turns an answer lies in several turns side by side, so nothing is taken there (gain 1).
    The best `keep` candidates stay as they are. Only with vectors: keywords alone gain nothing by it
    (bench/results/quality.md).
    """

    needs = ("score",)
    gives = ()
    weight: float = 0.04
    keep: int = 5
    most: int = 3

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if len(state.keys) <= self.keep or state.vector is None:
            return state
        rows = state.columns()
        best = np.lexsort((state.keys, -state.scores))
        better = np.zeros(len(best))
        better[best] = np.minimum(_earlier_of_group(rows.session[best]), self.most)
        better[best[: self.keep]] = 0.0
        better[rows.session < 0] = 0.0
        state.signals["spread"] = -(1.0 - rows.gain) * better / self.most
        state.scores = np.round(state.scores + self.weight * self.most * state.signals["spread"], 6)
        return state


def _earlier_of_group(groups: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each place how many places before it hold the same group."""
    order = np.argsort(groups, kind="stable")
    sorted_groups = groups[order]
    starts = np.flatnonzero(np.append(True, sorted_groups[1:] != sorted_groups[:-1]))
    sizes = np.diff(np.append(starts, len(groups)))
    earlier = np.empty(len(groups), dtype=np.int64)
    earlier[order] = np.arange(len(groups)) - np.repeat(starts, sizes)
    return earlier
