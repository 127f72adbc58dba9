"""Signals of the default preset, each from 0 to 1: one kind of evidence for, or against, a candidate.

Every stage writes one named signal; `WeighSignals` reads them. What each earns: bench/results/quality.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from combray.language.cues import asked
from combray.language.questions import ASSISTANTS, USERS, Question
from combray.language.tokens import content_terms
from combray.recall.state import Recalling
from combray.runtime import Runtime, Scores
from combray.scoring.minmax import minmax


def _question(state: Recalling) -> Question:
    if state.question is None:
        raise AssertionError("ReadQuestion runs before the signals")
    return state.question


@dataclass(frozen=True)
class ContextMatch:
    """Keyword evidence with neighbouring turns, as a share of the best candidate's, and scaled cosines.

    Keyword scores keep their zero (no shared word is no evidence); cosines, which have no zero of their
    own, are min-max scaled over the candidates.
    """

    needs = ("found", "candidates")
    gives = ("context",)

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if state.found is None or not len(state.keys):
            return state
        scores = state.found.scores
        keyword = scores.get("context", np.zeros(len(state.keys)))
        state.signals["context"] = keyword / max(float(keyword.max()), 1e-9)
        for name in ("own", "window"):
            if name in scores:
                state.signals[name] = minmax(scores[name])
        return state


@dataclass(frozen=True)
class AuthorMatch:
    """Marks memories written by the author that the query names.

    `author` when exactly one is named; `subject` when several are and the first is the one asked about.
    """

    needs = ("question", "candidates")
    gives = ()

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        question = _question(state)
        if question.subject is not None and len(state.keys):
            name = "author" if len(question.named) == 1 else "subject"
            state.signals[name] = _written_by(state, {question.subject})
        return state


@dataclass(frozen=True)
class RoleMatch:
    """In chats with an assistant, marks the assistant's turns for "did you suggest", the user's for "my"."""

    needs = ("question", "candidates")
    gives = ()

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        role = _question(state).role
        if role is not None and len(state.keys):
            state.signals["role"] = _written_by(state, USERS if role == "user" else ASSISTANTS)
        return state


def _written_by(state: Recalling, authors: set[str] | frozenset[str]) -> Scores:
    rows = state.columns()
    folded = {name.casefold() for name in authors}
    codes = [code for code, name in enumerate(rows.author_names) if name.casefold() in folded]
    return np.isin(rows.author, codes).astype(np.float64)


@dataclass(frozen=True)
class TimeCue:
    """For a query that asks when, marks texts with a time expression; less in sessions of long turns."""

    needs = ("question", "candidates")
    gives = ()

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if _question(state).asks_when and len(state.keys):
            rows = state.columns()
            state.signals["time"] = rows.times * rows.gain
        return state


@dataclass(frozen=True)
class AnswerCue:
    """Marks texts with the kind of thing asked for: a number, a reason, a place, a person, a title."""

    needs = ("question", "candidates")
    gives = ()

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        kind = asked(state.query)
        if kind is not None and len(state.keys):
            rows = state.columns()
            state.signals["answer"] = ((rows.cues & int(kind)) > 0) * rows.gain
        return state


@dataclass(frozen=True)
class DateMatch:
    """Marks memories of the date that the query names, or of the days after it."""

    needs = ("found", "candidates")
    gives = ()

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if state.found is not None and "date" in state.found.scores:
            state.signals["date"] = state.found.scores["date"]
        return state


@dataclass(frozen=True)
class PhraseMatch:
    """Marks texts with adjacent words of the query side by side; half of the pairs give the full signal.

    Reads only candidates that hold two question words themselves, the best of them by keywords, and stops
    after `words_read` words: long texts must not make a question slow.
    """

    needs = ("found", "terms", "context")
    gives = ()
    most: int = 40
    words_read: int = 1500

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        pairs = {pair for pair in pairwise(state.terms) if pair[0].isascii()}
        if not pairs or not len(state.keys) or state.found is None or "held" not in state.found.scores:
            return state
        holding = np.flatnonzero(state.found.scores["held"] * len(state.terms) > 1.5)
        best = holding[np.lexsort((state.keys[holding], -state.signals["context"][holding]))][: self.most]
        read = np.cumsum(state.columns().words[best])
        best = best[(read <= self.words_read) | (np.arange(len(best)) == 0)]
        phrase = np.zeros(len(state.keys))
        for place, text in zip(best, state.reader.contents(state.keys[best]), strict=True):
            held = content_terms(text)
            phrase[place] = min(1.0, 2.0 * len(pairs.intersection(pairwise(held))) / len(pairs))
        state.signals["phrase"] = phrase
        return state


@dataclass(frozen=True)
class LengthPrior:
    """Marks longer turns in talk of short turns, where few words seldom answer: min(1, ln(1 + words) / ln 40).

    Holds as far as a session's turns are short (its gain); notes and documents are not judged by length.
    """

    needs = ("candidates",)
    gives = ()
    enough: int = 40

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if len(state.keys):
            rows = state.columns()
            said = np.minimum(1.0, np.log1p(rows.words) / math.log(self.enough))
            short_turns = np.where(rows.session >= 0, rows.gain, 0.0)
            state.signals["length"] = 1.0 - short_turns * (1.0 - said)
        return state


@dataclass(frozen=True)
class AsksItself:
    """Marks turns that end in a question. They ask and seldom answer, so the weight is negative."""

    needs = ("candidates",)
    gives = ()

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if len(state.keys):
            state.signals["asks"] = state.columns().asks.astype(np.float64)
        return state
