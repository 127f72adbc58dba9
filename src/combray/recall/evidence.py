"""The evidence floor, for every preset: a question that nothing in the store supports has no hits.

The evidence of a memory is one number, the share of the question that it meets (`recall.met`). Its best value is
compared with a floor that rises with the size of the store, and the confidence of the answer is read from it.
Figures: bench/results/evidence.md; reasons: docs/decisions/0029-one-floor.md.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from combray.language.tokens import query_terms
from combray.pipeline import stage
from combray.recall.context_words import context_arm
from combray.recall.met import shares_met, wanted_words
from combray.recall.state import Part, Recalling, aligned
from combray.records import field
from combray.runtime import Arm, Found, KeywordArm, Runtime, VectorArm
from combray.scoring.calibration import Level, confidence_of

FLOOR: Mapping[Level, tuple[float, float]] = {
    "none": (0.0, 0.003),
    "static": (0.12, 0.003),
    "contextual": (0.12, 0.003),
}
"""The floor in a store of one memory, and what it rises by with the square of ln n.

Chosen so that at most one in two hundred ordinary questions of an author who had not seen the code is refused
(bench/results/evidence.md). "contextual" is that of "static": the words are compared with static vectors."""
NOTHING = "nothing here matches: no shared words, names or meaning"
_MET = "met"
_ROUNDED = 5e-7
"""More than rounding to six decimals takes from a cosine."""


@stage
class RequireEvidence:
    """Empties the answer if no memory meets enough of the question, and says how sure the answer is.

    A memory meets a word of the question that it holds, under any of its declared names, or, with vectors of
    words, as far as the cosine of its nearest word goes. The words of a question count by their cosine with it,
    without vectors by their idf. Question words, stop words and expressions of time never have to be met. The
    best of the first `most` candidates counts, and of a long query the best of its passages.

    The best must reach the floor: `floor[0] + floor[1] · (ln n)²`, where n is the number of memories, because the
    best of many meets more by chance. Nothing is required of a question that names a declared entity or asks for
    a date alone, or that has no other word, nor where the notes of an author who is asked about are candidates.
    A memory whose text is the query always stays; the floor then applies to the others.

    With `own` a candidate also needs evidence of its own: a met word, a matched entity or day, a chain of edges
    (signal `reached`), words around it (`context`, `text`), or a cosine of `cosine` and more. What was found by a
    rank, a recent date or an edge alone is no answer.

    `details["confidence"]` is the probability that one of the first three hits answers (`scoring.calibration`). A
    caller who wants silence below a confidence sets `caution`.
    """

    needs = ("candidates",)
    floor: Mapping[Level, tuple[float, float]] = field(default_factory=lambda: FLOOR)
    caution: float = 0.0
    """Least confidence of an answer."""
    most: int = 12
    own: bool = True
    cosine: float = 0.2
    weak_below: float = 0.3
    """Confidence below which the evidence is weak, and `think` answers nothing."""
    pool: int = 50
    most_terms: int = 32

    def __call__(self, state: Recalling, runtime: Runtime) -> Recalling:
        if not len(state.keys):
            state.details["confidence"] = 0.0
            return state
        found = self._found(state)
        level = level_of(state)
        best, asks = self._best(state, runtime, found)
        trials = max(1, found.eligible) * max(1, len(state.parts))
        least, rise = self.floor[level]
        bound = round(least + rise * math.log(trials) ** 2, 6)
        state.confidence = confidence_of(level, best, trials)
        state.details["confidence"], state.details["evidence"] = state.confidence, round(best, 4)
        exact = state.signals.get("exact", np.zeros(len(state.keys))) >= 1.0
        named = bool((state.signals.get("entity", np.zeros(1)) >= 1.0).any())
        state.certain = state.only_dated or named or bool(exact.any())
        if not asks or state.only_dated or named or "author" in state.via.values():
            return self._with_own(state, found)
        if state.confidence < self.weak_below:
            state.weak = state.details["weak"] = (
                f"confidence {state.confidence:.2f} is below {self.weak_below:.2f}"
            )
        if best < bound or state.confidence < self.caution:
            state.reason = f"{NOTHING} (evidence {best:.2f} of {bound:.2f} in {found.eligible} memories)"
            state.take(exact)
            return state
        return self._with_own(state, found)

    def _found(self, state: Recalling) -> Found:
        """Return what a search by words and vectors finds: that of the preset, if it was one."""
        level = level_of(state)
        arms: dict[str, Arm] = {}
        terms = query_terms(state.question.bare if state.question is not None else state.query)
        weighted = tuple((term, 1.0) for term in (terms or query_terms(state.query))[: self.most_terms])
        if state.vector is None or level == "none":
            # With k1 = 0 a word counts once: the score is the share of the words by idf.
            arms[_MET] = KeywordArm(weighted, k1=0.0, normalise=True, lends=state.lends)
        elif state.found is not None and "own" in state.found.scores:
            return state.found
        else:
            arms["context"] = context_arm((term for term, _ in weighted), normalise=True, lends=state.lends)
            arms["own"] = VectorArm(state.vector, state.model)
        return state.reader.search(arms, state.where, self.pool)

    def _best(self, state: Recalling, runtime: Runtime, found: Found) -> tuple[float, bool]:
        """Return the highest share that a memory meets, and whether the question asks for any word."""
        parts = state.parts or (Part((), state.vector),)
        passages = [(part, words) for part in parts if (words := wanted_words(state, part.text or state.query))]
        if not passages:
            return 0.0, False
        if _MET in found.scores:
            return float(found.scores[_MET].max(initial=0.0)), True
        order = np.argsort(-(found.scores["context"] + found.scores["own"]), kind="stable")[: self.most]
        texts = state.contents(found.keys[order].tolist())
        if not texts:
            return 0.0, True
        shares = [float(shares_met(state, runtime, words, part, texts).max()) for part, words in passages]
        return max(shares), True

    def _with_own(self, state: Recalling, found: Found) -> Recalling:
        """Drop the candidates without evidence of their own."""
        if not self.own or state.only_dated:
            return state
        evident = np.zeros(len(state.keys), dtype=np.bool_)
        for name in (_MET, "context"):
            if name in found.scores:
                evident |= aligned(state.keys, found.keys, found.scores[name]) > 0
        if state.vector is not None:
            cosines = state.reader.similarity(state.model, state.vector, state.keys)
            evident |= cosines * state.trust >= self.cosine - _ROUNDED
        for name in ("entity", "reached", "graph", "date", "context", "text", "exact"):
            if name in state.signals:
                evident |= state.signals[name] > 0
        state.take(evident)
        if not len(state.keys):
            state.reason = NOTHING
        return state


def level_of(state: Recalling) -> Level:
    """Return the level of the embedder that embedded the question."""
    if state.vector is None or state.trust <= 0:
        return "none"
    return "contextual" if state.contextual else "static"
