"""Abstention: an answer with too little evidence is empty, and says why."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from combray.recall.state import Recalling
from combray.runtime import Runtime, Scores

THRESHOLDS: Mapping[str, float] = {"none": 0.06, "static": 0.13, "contextual": 0.09}
"""Below: nothing is answered. Chosen to cost at most half a point of recall@10 (bench/results/quality.md)."""
SURE: Mapping[str, float] = {"none": 0.12, "static": 0.23, "contextual": 0.26}
"""Below: the evidence is weak and `think` answers nothing (docs/explanation/think.md), at `sure_at` memories."""


@dataclass(frozen=True)
class Abstain:
    """confidence = evidence + 0.5 · contrast, clipped to [0, 1].

    evidence: the best keyword score as a share of the best possible, averaged with the best cosine where
    there are vectors. contrast: the largest share of the question's words in one memory by its subject,
    minus the same for every other author. It is negative if another author said it.

    Evidence is weak below `sure`. With n < `sure_at` memories the bound is multiplied by sqrt(ln n / ln sure_at):
    by chance the best of many comes nearer to any question than the best of few.
    """

    needs = ("found", "question", "candidates")
    thresholds: Mapping[str, float] = field(default_factory=lambda: THRESHOLDS)
    sure: Mapping[str, float] = field(default_factory=lambda: SURE)
    contrast_weight: float = 0.5
    sure_at: int = 500
    dated_terms: int = 2
    """A question with a date and at most this many other words asks for what happened then."""

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if state.found is None or not len(state.keys):
            state.details["confidence"] = 0.0
            return state
        scores, level = state.found.scores, "none"
        evidence = float(scores["context"].max()) if "context" in scores else 0.0
        if "own" in scores:
            evidence = 0.5 * evidence + 0.5 * max(0.0, float(scores["own"].max()))
            level = "contextual" if state.contextual else "static"
        contrast = self._contrast(state, scores["held"]) if "held" in scores else 0.0
        confidence = float(np.clip(evidence + self.contrast_weight * contrast, 0, 1))
        state.details["confidence"] = round(confidence, 4)
        # A question that is only about a date ("what happened on 3 May") is answered by that date's memories.
        if "date" in scores and (scores["date"] >= 1.0).any() and len(state.terms) <= self.dated_terms:
            return state
        chance = min(1.0, math.sqrt(math.log(max(2, state.found.eligible)) / math.log(self.sure_at)))
        sure = self.sure[level] * chance
        if confidence < sure:
            state.weak = state.details["weak"] = f"confidence {confidence:.2f} is below {sure:.2f}"
        threshold = self.thresholds[level]
        if confidence < threshold:
            state.reason = (
                f"nothing here answers this: confidence {confidence:.2f} is below {threshold:.2f} "
                f"(none of {state.found.eligible} memories is near enough)"
            )
            state.take(np.zeros(0, dtype=np.int64))
        return state

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
        return float(shares[own].max() - shares[others].max())
