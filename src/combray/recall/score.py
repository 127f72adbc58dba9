"""From signals to a score: the weighted sum, the session as prior, late interaction, and the order.

Measurements: bench/results/quality.md.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import field

import numpy as np
from numpy.typing import NDArray

from combray.errors import ModelError
from combray.forms.recalling import Level, Recalling
from combray.language.scripts import language
from combray.pipeline import stage
from combray.runtime import Runtime, Scores
from combray.scoring.ageing import half_life
from combray.scoring.ranking import DECIMALS, minmax
from combray.scoring.similarity import maxsim


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


_COMMON = {
    "author": 0.25,
    "subject": 0.20,
    "role": 0.20,
    "time": 0.15,
    "date": 0.40,
    "answer": 0.10,
    "exact": 0.50,
    "length": 0.15,
    "asks": -0.05,
}
LEVELS: Mapping[str, Mapping[str, float]] = {
    "none": {"context": 0.80, **_COMMON},
    "static": {"context": 0.50, "own": 0.25, "window": 0.20, **_COMMON},
    "contextual": {"context": 0.45, "own": 0.25, "window": 0.25, **_COMMON},
}
"""Weights by service level: no embedder, a static token table, a contextual sentence model. Round numbers
on a flat optimum: re-tuning on four conversations gains at most 0.6 points on the fifth
(bench/results/quality.md)."""

_DAY = 86_400.0
_COUPLE = 2
"""Authors of the conversations on which `LEVELS` were measured."""

CONCLUSION: Mapping[str, float] = {"context": 0.30, "own": 0.35, "window": 0.35}
"""A question for a conclusion ("would she …") shares few words with its evidence: meaning counts more."""


@stage
class WeighSignals:
    """Weighted sum of the signals. The less the embedder knows the query's language, the more keywords count.

    The more authors the store has, the more it says that a note is by the one who is asked about: `author` and
    `subject` count 1 + `rarity` · (log2 of their number - 1) times. Where turns of a conversation are among the
    candidates they count once: what a turn answers is asked of the turns around it too.
    """

    needs = ("context", "question")
    gives = ("score",)
    levels: Mapping[str, Mapping[str, float]] = field(default_factory=lambda: LEVELS)
    conclusion: Mapping[str, float] = field(default_factory=lambda: CONCLUSION)
    rarity: float = 0.3
    age: float = 0.0
    """Weight of a memory's age for every question (setting `decay`)."""
    age_when_asked: float = 0.10
    """Its weight for questions that ask for the latest ("currently", "most recent")."""
    half_life_days: float = 30.0

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if not len(state.keys):
            return state
        weights = self.weights(state)
        latest = state.question is not None and state.question.asks_latest
        weights["age"] = max(self.age, self.age_when_asked if latest else 0.0)
        if weights["age"]:
            moment = state.columns().moment
            state.signals["age"] = half_life((moment.max() - moment) / _DAY, self.half_life_days)
        state.scores = weighted_sum(state, weights)
        return state

    def weights(self, state: Recalling) -> dict[str, float]:
        """The weights for this query."""
        dense = state.embedded.vector is not None and "own" in state.signals
        level: Level = "none" if not dense else "contextual" if state.embedded.contextual else "static"
        weights = dict(self.levels[level])
        if dense:
            if state.question is not None and state.question.asks_conclusion:
                weights.update(self.conclusion)
            for name in ("own", "window"):
                weights["context"] += (1.0 - state.embedded.trust) * weights[name]
                weights[name] *= state.embedded.trust
        authors = len(state.reader.profile().authors)
        if authors > _COUPLE and not (state.columns().session >= 0).any():
            for name in ("author", "subject"):
                weights[name] *= 1.0 + self.rarity * (math.log2(authors) - 1.0)
        state.details["level"] = level
        return weights


@stage
class SessionPrior:
    """Adds the best score within a memory's session, min-max scaled, and sorts: answers are near good matches.

    In sessions of long turns each further turn of a session counts a little less than its best ones instead
    (`spread`). In talk of short turns an answer lies in several turns side by side, so nothing is taken there
    (gain 1). The best `keep` candidates stay as they are, and without vectors all do: keywords alone gain nothing
    by it (bench/results/quality.md).
    """

    needs = ("score",)
    gives = ("sorted",)
    weight: float = 0.10
    weight_without_vectors: float = 0.05
    spread: float = 0.04
    keep: int = 5
    most: int = 3

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if not len(state.keys):
            return state
        session = state.columns().session
        highest = state.scores
        last = int(session.max())
        if last >= 0:
            # A memory without a session is a session of its own.
            group = np.where(session >= 0, session, last + 1 + np.arange(len(session)))
            best = np.full(int(group.max()) + 1, -np.inf)
            np.maximum.at(best, group, state.scores)
            highest = best[group]
        state.signals["session"] = minmax(highest)
        weight = self.weight if state.embedded.vector is not None else self.weight_without_vectors
        state.scores = np.round(state.scores + weight * state.signals["session"], 6)
        if len(state.keys) > self.keep and state.embedded.vector is not None and last >= 0:
            self._spread(state)
        sort(state)
        return state

    def _spread(self, state: Recalling) -> None:
        rows = state.columns()
        best = np.lexsort((state.keys, -state.scores))
        better = np.zeros(len(best))
        better[best] = np.minimum(_earlier_of_group(rows.session[best]), self.most)
        better[best[: self.keep]] = 0.0
        better[rows.session < 0] = 0.0
        state.signals["spread"] = -(1.0 - rows.gain) * better / self.most
        state.scores = np.round(state.scores + self.spread * self.most * state.signals["spread"], 6)


def _earlier_of_group(groups: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each place how many places before it hold the same group."""
    order = np.argsort(groups, kind="stable")
    sorted_groups = groups[order]
    starts = np.flatnonzero(np.append(True, sorted_groups[1:] != sorted_groups[:-1]))
    sizes = np.diff(np.append(starts, len(groups)))
    earlier = np.empty(len(groups), dtype=np.int64)
    earlier[order] = np.arange(len(groups)) - np.repeat(starts, sizes)
    return earlier


_STEP = 10.0**-DECIMALS


@stage
class MatchTokens:
    """Adds the MaxSim of the question's tokens to the scores of the first `first` candidates, min-max scaled.

    Does nothing without a model of tokens (setting `late_interaction`). Nothing moves unless nearly all of those
    candidates have token vectors: one without would sink for that alone. `lacking` is the share that may lack
    them; these get the mean of the others.

    A later statement that stood before one that it may revise, or replaces, stays before it: the match of words
    prefers the outdated one as often as not.

    Source: Khattab and Zaharia 2020 (models/onnx_tokens.py). Measurements: bench/results/quality.md.
    """

    needs = ("sorted", "question")
    leaves_process = True
    weight: float = 0.3
    first: int = 50
    lacking: float = 0.1
    most_characters: int = 1000
    """Characters of a question whose tokens are matched."""

    def __call__(self, state: Recalling, runtime: Runtime) -> Recalling:
        if runtime.tokens is None or not len(state.keys) or state.question is None:
            return state
        weight = self.weight * runtime.tokens.knows(language(state.query))
        if not weight:
            return state
        try:
            spoken = state.question.spoken[: self.most_characters]
            (asked,) = runtime.tokens.embed_tokens([spoken], query=True)
        except ModelError as error:
            state.degraded.append(f"without late interaction: {error}")
            return state
        keys = state.keys[: self.first].tolist()
        scores = self._scores(state, runtime.tokens.name, asked, keys)
        if scores is None:
            return state
        late = np.zeros(len(state.keys))
        late[: len(keys)] = minmax(scores)
        state.signals["late"] = late
        state.scores = np.round(state.scores + weight * late, DECIMALS)
        self._keep_order(state, keys)
        sort(state)
        return state

    def _scores(
        self, state: Recalling, model: str, asked: NDArray[np.int8], keys: Sequence[int]
    ) -> Scores | None:
        """Return the score of each candidate; None if too many have no token vectors."""
        found = state.reader.tokens(model, np.array(keys, dtype=np.int64))
        has = np.array([rows is not None and len(rows) > 0 for rows in found], dtype=np.bool_)
        if not len(asked) or not has.any() or (~has).sum() > self.lacking * len(keys):
            return None
        known = [rows for rows in found if rows is not None and len(rows)]
        scores = np.zeros(len(keys))
        scores[has] = [best.mean() for best in maxsim(asked, known)]
        scores[~has] = scores[has].mean()
        return scores

    @staticmethod
    def _keep_order(state: Recalling, keys: Sequence[int]) -> None:
        """Lift each later statement that stood before an earlier one to that one's score, if it is below now."""
        place = {key: at for at, key in enumerate(keys)}
        links = state.reader.links_to(keys, ("may_revise", "supersedes"))
        pairs = {(place[each.source], place[each.target]) for each in links if each.source in place}
        # From the first place down: what is lifted may lift another.
        for later, earlier in sorted(pair for pair in pairs if pair[0] < pair[1]):
            if state.scores[later] <= state.scores[earlier]:
                state.scores[later] = round(float(state.scores[earlier]) + _STEP, DECIMALS)
