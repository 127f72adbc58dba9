"""Signals of the default preset, each from 0 to 1: every stage writes one named signal.

`recall.score` weighs them. Measurements: bench/results/quality.md.
"""

from __future__ import annotations

import math

import numpy as np

from combray.forms.recalling import Recalling
from combray.language.indexing import normalised
from combray.language.intent import asked
from combray.language.questions import ASSISTANTS, USERS, Question
from combray.language.tokens import word_count
from combray.pipeline import stage
from combray.runtime import Runtime, Scores


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
