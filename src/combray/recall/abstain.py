"""Abstention: an answer with too little evidence is empty, and says why."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from combray.recall.state import Recalling
from combray.runtime import Runtime

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

    Evidence is weak below `sure`, times sqrt(ln n / ln sure_at) where n, the memories asked, are fewer: by chance
    the best of many comes nearer to any question than the best of few.
    """

    needs = ("found", "question", "candidates")
    gives = ()
    thresholds: Mapping[str, float] = field(default_factory=lambda: THRESHOLDS)
    sure: Mapping[str, float] = field(default_factory=lambda: SURE)
    contrast_weight: float = 0.5
    sure_at: int = 500
    dated_terms: int = 2
    """A question with a date and at most so many other words asks for what happened then."""

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if state.found is None or not len(state.keys):
            state.details["confidence"] = 0.0
            return state
        confidence = float(np.clip(self._evidence(state) + self.contrast_weight * self._contrast(state), 0, 1))
        state.details["confidence"] = round(confidence, 4)
        if self._dated(state):
            return state
        sure = self.sure[_level(state)] * self._chance(state.found.eligible)
        if confidence < sure:
            state.weak = state.details["weak"] = f"confidence {confidence:.2f} is below {sure:.2f}"
        threshold = self.thresholds[_level(state)]
        if confidence < threshold:
            state.reason = (
                f"nothing here answers this: confidence {confidence:.2f} is below {threshold:.2f} "
                f"(none of {state.found.eligible} memories is near enough)"
            )
            state.take(np.zeros(0, dtype=np.int64))
        return state

    def _evidence(self, state: Recalling) -> float:
        scores = {} if state.found is None else state.found.scores
        keyword = float(scores["context"].max()) if "context" in scores else 0.0
        if "own" not in scores:
            return keyword
        return 0.5 * keyword + 0.5 * max(0.0, float(scores["own"].max()))

    def _contrast(self, state: Recalling) -> float:
        held = None if state.found is None else state.found.scores.get("held")
        if held is None or state.question is None or state.question.subject is None:
            return 0.0
        rows = state.columns()
        if state.question.subject not in rows.author_names:
            return 0.0
        own = rows.author == rows.author_names.index(state.question.subject)
        # What has no author ("Ann lives in Oslo") was not said by somebody else.
        others = ~own & (rows.author >= 0)
        if not others.any() or not own.any():
            return 0.0
        return float(held[own].max() - held[others].max())

    def _dated(self, state: Recalling) -> bool:
        """A question that is only about a date ("what happened on 3 May") is answered by that date's memories."""
        date = None if state.found is None else state.found.scores.get("date")
        return date is not None and bool((date >= 1.0).any()) and len(state.terms) <= self.dated_terms

    def _chance(self, memories: int) -> float:
        """How near the best of so many comes by chance, compared with the best of `sure_at`; 1 for more."""
        return min(1.0, math.sqrt(math.log(max(2, memories)) / math.log(self.sure_at)))


def _level(state: Recalling) -> str:
    if state.vector is None or state.found is None or "own" not in state.found.scores:
        return "none"
    return "contextual" if state.contextual else "static"
