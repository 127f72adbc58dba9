"""Abstention: an answer with too little evidence is empty, and says why."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import field, replace

import numpy as np
from numpy.typing import NDArray

from combray.language.questions import names
from combray.language.trivial import asks_what_happened
from combray.pipeline import stage
from combray.recall.query import without_times
from combray.recall.state import Recalling
from combray.runtime import Found, Runtime, Scores

THRESHOLDS: Mapping[str, float] = {"none": 0.06, "static": 0.15, "contextual": 0.16}
"""Below: an answer is doubtful, at `sure_at` memories (bench/results/precision.md)."""
FLOOR: Mapping[str, float] = {"none": 0.0, "static": 0.04, "contextual": 0.04}
"""The same for one memory: by chance a cosine is a little above that of unrelated text."""
SURE: Mapping[str, float] = {"none": 0.12, "static": 0.23, "contextual": 0.23}
"""Below: the evidence is weak and `think` answers nothing (docs/explanation/think.md), at `sure_at` memories."""


def _among(found: Found, kept: NDArray[np.bool_]) -> Found:
    """Return what was found, for these candidates alone; the ranked lists stay."""
    return replace(found, keys=found.keys[kept], scores={name: each[kept] for name, each in found.scores.items()})


@stage
class Abstain:
    """confidence = evidence + 0.5 · contrast, clipped to [0, 1].

    evidence: the best keyword score as a share of the best possible, averaged with the best cosine where
    there are vectors, both of the best part of a long query; 0 for a cosine no better than unrelated text.
    contrast: the largest share of the question's words in one memory by its subject, minus the same for every
    other author. It is negative if another author said it, unless a note names the subject, or no candidate is a
    turn of a conversation.

    By chance the best of many comes nearer to any question than the best of few. With n memories, or n pairs of a
    memory and a part of the query, and n < `sure_at`, the threshold is floor + (threshold - floor) · c with
    c = ln n / ln sure_at, and evidence is weak below sure · sqrt(c).

    A memory's own text is always found; the threshold then applies to the other memories. A question that names
    an entity exactly is always answered. If notes are candidates because of their author alone (`SearchContext`),
    nothing is refused here.
    """

    needs = ("found", "question", "candidates")
    thresholds: Mapping[str, float] = field(default_factory=lambda: THRESHOLDS)
    floor: Mapping[str, float] = field(default_factory=lambda: FLOOR)
    sure: Mapping[str, float] = field(default_factory=lambda: SURE)
    contrast_weight: float = 0.5
    sure_at: int = 500
    share: float = 0.5
    """Share of the threshold below which nothing is answered. Above it `JudgeAnswers` decides."""
    most_read: int = 8
    """Notes by other authors that are read, because they may be about the subject: "Ann lives in Oslo"."""
    dated_terms: int = 2
    """A question with a date and at most this many other words asks for what happened then."""

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if state.found is None or not len(state.keys):
            state.details["confidence"] = 0.0
            return state
        level = "none" if "own" not in state.found.scores else "contextual" if state.contextual else "static"
        confidence = self._confidence(state, np.ones(len(state.keys), dtype=np.bool_))
        state.confidence = state.details["confidence"] = round(confidence, 4)
        trials = max(1, state.found.eligible * max(1, len(state.parts)))
        chance = min(1.0, math.log(trials) / math.log(self.sure_at))
        sure = self.sure[level] * math.sqrt(chance)
        threshold = self.floor[level] + (self.thresholds[level] - self.floor[level]) * chance
        state.doubtful = threshold
        threshold *= self.share
        exact = state.signals.get("exact", np.zeros(len(state.keys))) >= 1.0
        if exact.any():
            beside = 0.0 if exact.all() else self._confidence(state, ~exact)
            state.weak_beside = beside < sure
            if not exact.all() and beside < threshold:
                state.found = _among(state.found, exact)
                state.take(exact)
            state.certain = True
            return state
        if self._certain(state):
            state.certain = True
            return state
        if confidence < sure:
            state.weak = state.details["weak"] = f"confidence {confidence:.2f} is below {sure:.2f}"
        # What the author who is asked about wrote may share nothing with the question: `JudgeAnswers` reads it.
        if confidence < threshold and "author" not in state.via.values():
            state.reason = (
                f"nothing here answers this: confidence {confidence:.2f} is below {threshold:.2f} "
                f"(none of {state.found.eligible} memories is near enough)"
            )
            state.take(np.zeros(0, dtype=np.int64))
        return state

    def _confidence(self, state: Recalling, rows: NDArray[np.bool_]) -> float:
        scores = {} if state.found is None else state.found.scores
        evidence = float(scores["context"][rows].max()) if "context" in scores else 0.0
        if "own" in scores:
            evidence = 0.5 * evidence + 0.5 * max(0.0, float(scores["own"][rows].max()))
        contrast = self._contrast(state, scores["held"]) if "held" in scores else 0.0
        return min(max(evidence + self.contrast_weight * contrast, 0.0), 1.0)

    def _certain(self, state: Recalling) -> bool:
        """Whether no threshold applies."""
        if state.only_dated or (state.signals.get("entity", np.zeros(1)) >= 1.0).any():
            return True
        # A question that is only about a date ("what happened on 3 May") is answered by that date's memories.
        dated = state.found is not None and (state.found.scores.get("date", np.zeros(1)) >= 1.0).any()
        if not dated:
            return False
        # The words of the date itself name no topic: "the first two weeks of October" are four.
        return len(state.terms) <= self.dated_terms or asks_what_happened(without_times(state.query, state.now))

    def _contrast(self, state: Recalling, shares: Scores) -> float:
        subject = None if state.question is None else state.question.subject
        rows = state.columns()
        if subject is None or subject not in rows.author_names:
            return 0.0
        own = rows.author == rows.author_names.index(subject)
        # A text without an author ("Ann lives in Oslo") was not said by somebody else.
        others = ~own & (rows.author >= 0)
        if not others.any() or not own.any():
            return 0.0
        best, places = float(shares[own].max()), np.flatnonzero(others)
        ranked = places[np.argsort(-shares[places], kind="stable")]
        # A note by another author may be about the subject; in a conversation everybody is addressed by name.
        near = ranked[: self.most_read]
        near = near[(shares[near] > best) & (rows.session[near] < 0)].tolist()
        texts = state.contents(state.keys[near].tolist())
        about = {place for place, text in zip(near, texts, strict=True) if names(subject, text)}
        rival = next((float(shares[place]) for place in ranked.tolist() if place not in about), 0.0)
        # Among notes by many authors somebody has always used the words: "job", of another's export job.
        return best - rival if (rows.session >= 0).any() else max(0.0, best - rival)
