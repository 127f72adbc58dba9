"""Signals of the default preset, each from 0 to 1, and the score that weighs them.

Every signal stage writes one named signal; `WeighSignals` reads them. Measurements: bench/results/quality.md.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import field
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from combray.language.cues import asked
from combray.language.indexing import normalised
from combray.language.questions import ASSISTANTS, USERS, Question
from combray.language.tokens import side_by_side, word_count
from combray.pipeline import stage
from combray.recall.state import Recalling
from combray.recall.weigh import sort, weighted_sum
from combray.runtime import Runtime, Scores
from combray.scoring.minmax import minmax


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
    """

    needs = ("found", "candidates")
    gives = ("context",)
    enough: float = 0.25

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if state.found is None or not len(state.keys):
            return state
        scores = state.found.scores
        keyword = scores.get("context", np.zeros(len(state.keys)))
        state.signals["context"] = keyword / max(float(keyword.max()), self.enough)
        for name in ("own", "window"):
            if name in scores:
                state.signals[name] = scores[name] / max(float(scores[name].max()), 1e-9)
        return state


@stage
class AuthorMatch:
    """Marks memories written by the author that the query names.

    `author` when exactly one is named; `subject` when several are and the first is the one asked about.
    """

    needs = ("question", "candidates")

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        question = _question(state)
        if question.subject is not None and len(state.keys):
            name = "author" if len(question.named) == 1 else "subject"
            state.signals[name] = _written_by(state, {question.subject})
        return state


@stage
class RoleMatch:
    """In chats with an assistant, marks the assistant's turns for "did you suggest", the user's for "my"."""

    needs = ("question", "candidates")

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        role = _question(state).role
        if role is not None and len(state.keys):
            state.signals["role"] = _written_by(state, USERS if role == "user" else ASSISTANTS)
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
class TimeCue:
    """For a query that asks when, marks texts with a time expression; less in sessions of long turns."""

    needs = ("question", "candidates")

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if _question(state).asks_when and len(state.keys):
            rows = state.columns()
            state.signals["time"] = rows.times * rows.gain
        return state


@stage
class AnswerCue:
    """Marks texts with the kind of thing asked for: a number, a reason, a place, a person, a title."""

    needs = ("question", "candidates")

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        kind = asked(state.query)
        if kind is not None and len(state.keys):
            rows = state.columns()
            state.signals["answer"] = ((rows.cues & int(kind)) > 0) * rows.gain
        return state


@stage
class DateMatch:
    """Marks memories of the date that the query names, or of the days after it."""

    needs = ("found", "candidates")

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if state.found is not None and "date" in state.found.scores:
            state.signals["date"] = state.found.scores["date"]
        return state


@stage
class PhraseMatch:
    """Marks texts with adjacent words of the query side by side; half of the pairs give the full signal.

    `enough` is that share of the pairs. Reads only candidates that contain `least_words` question words
    themselves, the best `most` of them by keywords, and stops after `words_read` words: long texts must not make
    a question slow. Source of all defaults: chosen on LoCoMo, see bench/results/quality.md.
    """

    needs = ("found", "terms", "context")
    most: int = 40
    words_read: int = 1500
    enough: float = 0.5
    least_words: int = 2

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        pairs = frozenset(pair for pair in pairwise(state.terms) if pair[0].isascii())
        if not pairs or not len(state.keys) or state.found is None or "held" not in state.found.scores:
            return state
        holding = np.flatnonzero(state.found.scores["held"] * len(state.terms) > self.least_words - 0.5)
        best = holding[np.lexsort((state.keys[holding], -state.signals["context"][holding]))][: self.most]
        read = np.cumsum(state.columns().words[best])
        best = best[(read <= self.words_read) | (np.arange(len(best)) == 0)]
        phrase = np.zeros(len(state.keys))
        for place, text in zip(best, state.contents(state.keys[best].tolist()), strict=True):
            phrase[place] = min(1.0, side_by_side(pairs, text) / (self.enough * len(pairs)))
        state.signals["phrase"] = phrase
        return state


@stage
class ExactText:
    """Marks memories whose text is the query, white space, letter case and punctuation at the ends aside.

    Reads only the best `most` of the candidates that hold as many of the query's words as any other.
    """

    needs = ("found", "terms", "candidates")
    most: int = 10

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if state.found is None or not len(state.keys) or "held" not in state.found.scores:
            return state
        held, context = state.found.scores["held"], state.found.scores["context"]
        holding = np.flatnonzero((held >= held.max()) & (state.columns().words >= word_count(state.query)))
        best = holding[np.lexsort((state.keys[holding], -context[holding]))][: self.most]
        if not len(best):
            return state
        said = normalised(state.query)
        exact = np.zeros(len(state.keys))
        exact[best] = [normalised(text) == said for text in state.contents(state.keys[best].tolist())]
        if exact.any():
            state.signals["exact"] = exact
        return state


@stage
class LengthPrior:
    """Marks longer turns in talk of short turns, where few words seldom answer: min(1, ln(1 + words) / ln 40).

    Holds as far as a session's turns are short (its gain); notes and documents are not judged by length.
    """

    needs = ("candidates",)
    enough: int = 40

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if len(state.keys):
            rows = state.columns()
            turns = rows.session >= 0
            if not turns.any():
                state.signals["length"] = np.ones(len(turns))
                return state
            said = np.minimum(1.0, np.log1p(rows.words) / math.log(self.enough))
            state.signals["length"] = 1.0 - np.where(turns, rows.gain, 0.0) * (1.0 - said)
        return state


@stage
class AsksItself:
    """Marks turns that end in a question. They ask and seldom answer, so the weight is negative."""

    needs = ("candidates",)

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if len(state.keys):
            state.signals["asks"] = state.columns().asks.astype(np.float64)
        return state


Level = Literal["none", "static", "contextual"]

_COMMON = {
    "author": 0.25,
    "subject": 0.20,
    "role": 0.20,
    "time": 0.15,
    "date": 0.40,
    "answer": 0.10,
    "phrase": 0.05,
    "exact": 0.50,
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
        authors = len(state.reader.profile().authors)
        if authors > _COUPLE and not (state.columns().session >= 0).any():
            for name in ("author", "subject"):
                weights[name] *= 1.0 + self.rarity * (math.log2(authors) - 1.0)
        state.details["level"] = level
        return weights


@stage
class SessionPrior:
    """Adds the best score within a memory's session, min-max scaled: answers are near other good matches."""

    needs = ("score",)
    weight: float = 0.10
    weight_without_vectors: float = 0.05

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
        weight = self.weight if state.vector is not None else self.weight_without_vectors
        state.scores = np.round(state.scores + weight * state.signals["session"], 6)
        return state


@stage
class SortByScore:
    """Sorts candidates best first; ties by importance, then by id."""

    needs = ("score",)
    gives = ("sorted",)

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if len(state.keys):
            sort(state)
        return state


@stage
class SpreadSessions:
    """In sessions of long turns, each further turn of a session counts a little less than its best ones.

    In talk of short turns an answer lies in several turns side by side, so nothing is taken there (gain 1).
    The best `keep` candidates stay as they are. Only with vectors: keywords alone gain nothing by it
    (bench/results/quality.md).
    """

    needs = ("score",)
    weight: float = 0.04
    keep: int = 5
    most: int = 3

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if len(state.keys) <= self.keep or state.vector is None:
            return state
        rows = state.columns()
        if not (rows.session >= 0).any():
            state.signals["spread"] = np.zeros(len(state.keys))
            return state
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
