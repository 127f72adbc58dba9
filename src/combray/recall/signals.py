"""Signals of the default preset, each from 0 to 1, and the score that weighs them.

Every signal stage writes one named signal; `WeighSignals` reads them. Measurements: bench/results/quality.md.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from combray.forms.recalling import Recalling
from combray.language.indexing import normalised
from combray.language.intent import asked
from combray.language.questions import ASSISTANTS, USERS, Question
from combray.language.tokens import word_count
from combray.pipeline import stage
from combray.recall.keep import sort, weighted_sum
from combray.runtime import Runtime, Scores
from combray.scoring.ageing import half_life
from combray.scoring.ranking import minmax


def _question(state: Recalling) -> Question:
    if state.question is None:
        raise AssertionError("ReadQuestion runs before the signals")
    return state.question


@stage
class ContextMatch:
    """Keyword and vector evidence with neighbouring turns, each as a share of the best candidate's.

    The zero of a keyword score is no shared word, that of a vector score unrelated text. A best keyword score
    below `enough`, a share of a perfect match, does not count in full: then meaning decides more
    (bench/results/precision.md).

    `date` marks memories of the day that the query names, or of the days after it. `exact` marks memories whose
    text is the query, white space, letter case and punctuation at the ends aside: only the best `most` of the
    candidates that hold as many of the query's words as any other are read for it.
    """

    needs = ("found", "candidates")
    gives = ("context",)
    enough: float = 0.25
    most: int = 10

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if state.found is None or not len(state.keys):
            return state
        scores = state.found.scores
        keyword = scores.get("context", np.zeros(len(state.keys)))
        state.signals["context"] = keyword / max(float(keyword.max()), self.enough)
        for name in ("own", "window"):
            if name in scores:
                state.signals[name] = scores[name] / max(float(scores[name].max()), 1e-9)
        if "date" in scores:
            state.signals["date"] = scores["date"]
        if "held" in scores and "context" in scores:
            exact = self._exact(state, scores["held"], scores["context"])
            if exact.any():
                state.signals["exact"] = exact
        return state

    def _exact(self, state: Recalling, held: Scores, context: Scores) -> Scores:
        exact = np.zeros(len(state.keys))
        holding = np.flatnonzero((held >= held.max()) & (state.columns().words >= word_count(state.query)))
        best = holding[np.lexsort((state.keys[holding], -context[holding]))][: self.most]
        if len(best):
            said = normalised(state.query)
            texts = state.contents(state.keys[best].tolist())
            exact[best] = [normalised(text) == said for text in texts]
        return exact


@stage
class AuthorMatch:
    """Marks memories by whom the query asks about.

    `author` when it names exactly one author; `subject` when it names several and the first is the one asked
    about; `role` in chats with an assistant: the assistant's turns for "did you suggest", the user's for "my".
    """

    needs = ("question", "candidates")

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        question = _question(state)
        if not len(state.keys):
            return state
        if question.subject is not None:
            name = "author" if len(question.named) == 1 else "subject"
            state.signals[name] = _written_by(state, {question.subject})
        if question.role is not None:
            state.signals["role"] = _written_by(state, USERS if question.role == "user" else ASSISTANTS)
        return state


def _written_by(state: Recalling, authors: set[str] | frozenset[str]) -> Scores:
    rows = state.columns()
    folded = {name.casefold() for name in authors}
    written = np.zeros(len(rows.author), dtype=np.bool_)
    for code, name in enumerate(rows.author_names):
        if name.casefold() in folded:
            written |= rows.author == code
    return written.astype(np.float64)


@stage
class AnswerCue:
    """Marks texts with the kind of thing asked for: a number, a reason, a place, a person, a title, a time.

    The signals `answer`, and `time` for a query that asks when, are less in sessions of long turns.
    """

    needs = ("question", "candidates")

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if not len(state.keys):
            return state
        rows = state.columns()
        if _question(state).asks_when:
            state.signals["time"] = rows.times * rows.gain
        kind = asked(state.query)
        if kind is not None:
            state.signals["answer"] = ((rows.cues & int(kind)) > 0) * rows.gain
        return state


@stage
class ShapePrior:
    """Marks longer turns in talk of short turns, and turns that end in a question.

    `length` is min(1, ln(1 + words) / ln `enough`) as far as a session's turns are short (its gain): few words
    seldom answer there. Notes and documents are not judged by length. `asks`: a turn that asks seldom answers, so
    its weight is negative.
    """

    needs = ("candidates",)
    enough: int = 40

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if not len(state.keys):
            return state
        rows = state.columns()
        state.signals["asks"] = rows.asks.astype(np.float64)
        turns = rows.session >= 0
        if not turns.any():
            state.signals["length"] = np.ones(len(turns))
            return state
        said = np.minimum(1.0, np.log1p(rows.words) / math.log(self.enough))
        state.signals["length"] = 1.0 - np.where(turns, rows.gain, 0.0) * (1.0 - said)
        return state


Level = Literal["none", "static", "contextual"]

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
