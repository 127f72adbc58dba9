"""The evidence floor: a question that nothing in the store supports has no hits.

A rank, a recent date or an edge of the graph does not count. Words and cosines do, above what questions have in
common with memories that do not answer them. Which constants are measured, and which judgement: `LEVELS` and
`RequireEvidence`; figures: bench/results/evidence.md; decision 19.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from combray.language.scripts import language
from combray.language.tokens import query_terms
from combray.pipeline import stage
from combray.recall.state import Recalling, aligned
from combray.records import dataclass, field
from combray.runtime import Arm, Found, KeywordArm, Runtime, VectorArm

_WORD = re.compile(r"\S+")
_MARKS = ".,;:!?\"'()[]？！。，"
_TOPIC, _WORDS, _EXPANDED, _COSINE, _ABOUT = "topic", "words", "expanded", "cosine", "about"


@dataclass(frozen=True)
class Bounds:
    """Least evidence for an answer at one service level; a cosine of 0 is not required.

    `words`: matched share of the topic's words, weighted by idf. `about`: cosine of the topic. `cosine`: cosine
    of the whole question. `hit`: cosine at which a single hit is evident without a word. `exact`: share of words,
    and `near`: cosine of the topic, at which the other kind of evidence is not required.
    """

    words: float
    about: float = 0.0
    cosine: float = 0.0
    hit: float = 1.0
    exact: float = 0.9
    near: float = 1.0


LEVELS: Mapping[str, Mapping[str, float]] = {
    "none": {"words": 0.28, "exact": 0.28},
    "static": {"words": 0.15, "about": 0.25, "cosine": 0.27, "hit": 0.2, "near": 0.45},
    "contextual": {"words": 0.15, "about": 0.25, "cosine": 0.27, "hit": 0.25, "near": 0.45},
}
"""`words`, `about`, `cosine` and `near` of "none" and "static" (wordllama) were chosen on two sets: at most
2.6 % of sampled LoCoMo questions refused, by an estimate from their scores and not by recall@10, and the odd
questions of a set of an independent author. "contextual" is not measured: its bounds are those of "static". `hit`
at every level, and `exact`, are judgement.
"""


@stage
class ReadTopic:
    """Reads what the question asks about the names in it: its words without names that many memories hold.

    "Where did Leonie study?" is answered by a memory about studying, not by every memory that names Leonie. A
    name is a capitalised word after the first one, or a known author. It is omitted if `frequent` memories
    hold it.
    """

    needs = ("query",)
    frequent: int = 2
    most_names: int = 8

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        state.topic = state.query
        authors = {part for name in state.reader.profile().authors for part in name.casefold().split()}
        names: dict[str, tuple[tuple[str, float], ...]] = {}
        for place, word in enumerate(_WORD.findall(state.query)):
            bare = word.strip(_MARKS).removesuffix("'s").removesuffix("’s")
            if bare.casefold() in authors or (place and len(bare) > 1 and bare[0].isupper()):
                terms = tuple((term, 1.0) for term in query_terms(bare))
                if terms and len(names) < self.most_names:
                    names[word] = terms
        if not names:
            return state
        arms: dict[str, Arm] = {
            word: KeywordArm(terms, mode="all", scoring="coverage") for word, terms in names.items()
        }
        found = state.reader.search(arms, state.where, self.frequent)
        common = {word for word in names if len(found.lists[word].keys) >= self.frequent}
        topic = " ".join(word for word in _WORD.findall(state.query) if word not in common)
        # A question of names alone is about them.
        if query_terms(topic):
            state.topic = topic
        return state


@stage
class RequireEvidence:
    """Empties the answer if no memory is evident, and drops the candidates without evidence of their own.

    If a model found an answer in the store (`RequireAnswer`), only candidates are dropped. Otherwise the question
    as a whole needs both kinds of evidence, each at its bound: words of its topic, weighted by their rarity, and
    cosines. Much of one kind replaces the other. Below `judged_from` memories one kind is enough.
    A candidate needs a matched word, a matched entity, or a cosine above that of unrelated pairs. A candidate
    with the signal `reached` was found by a chain of edges from a candidate with evidence, one with the signal
    `context` or `text` by its words or those of the turns around it.

    For a model without bounds (`BOUNDED`), or a language other than English, the bound of cosines is their mean
    plus `deviations` standard deviations over `sample` memories, at least `minimum_cosine` (Mnemon's page).
    `judged_from` and `deviations` are judgement, not measured.
    """

    needs = ("candidates",)
    levels: Mapping[str, Mapping[str, float]] = field(default_factory=lambda: LEVELS)
    judged_from: int = 50
    minimum_cosine: float = 0.10
    deviations: float = 3.0
    sample: int = 500
    pool: int = 200
    most_terms: int = 32

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if not len(state.keys) or state.only_dated:
            return state
        found = self._search(state)
        bounds = self._bounds(state, found.eligible)
        best = {name: float(scores.max(initial=0.0)) for name, scores in found.scores.items()}
        # What names the day of the question is evidence, in whatever words.
        dated = bool(state.days) and "date" in state.signals and bool((state.signals["date"] > 0).any())
        if not dated and not state.answerable and not self._answerable(best, bounds, found.eligible):
            state.reason = NOTHING
            state.take(np.zeros(0, dtype=np.int64))
            return state
        worded = found.scores[_WORDS] + found.scores[_EXPANDED]
        evident = aligned(state.keys, found.keys, worded) > 0
        if state.vector is not None:
            cosines = state.reader.similarity(state.model, state.vector, state.keys)
            evident |= cosines * state.trust >= bounds.hit - ROUNDED
        for name in ("entity", "reached", "graph", "date", "context", "text"):
            if name in state.signals:
                evident |= state.signals[name] > 0
        state.take(evident)
        if not len(state.keys):
            state.reason = NOTHING
        return state

    def _search(self, state: Recalling) -> Found:
        every = query_terms(state.query)[: self.most_terms]
        topic = query_terms(state.topic or state.query)[: self.most_terms] or every
        added = tuple(state.expansion)
        # With k1 = 0 a word counts once: the score is the share of the words by idf.
        arms: dict[str, Arm] = {
            name: KeywordArm(tuple((term, 1.0) for term in some), k1=0.0, normalise=True, lends=state.lends)
            for name, some in ((_TOPIC, topic), (_WORDS, every), (_EXPANDED, added))
        }
        if state.vector is not None:
            arms[_COSINE] = VectorArm(state.vector, state.model)
            if state.topic_vector is not None:
                arms[_ABOUT] = VectorArm(state.topic_vector, state.model)
        return state.reader.search(arms, state.where, self.pool)

    def _bounds(self, state: Recalling, eligible: int) -> Bounds:
        if state.vector is None:
            return Bounds(**self.levels["none"])
        if state.model.startswith(BOUNDED) and language(state.query) == "en":
            return Bounds(**self.levels["contextual" if state.contextual else "static"])
        # The cosines of another model or language are compared with those of the store's own memories.
        unrelated = self.minimum_cosine
        if eligible >= self.judged_from:
            keys = state.reader.scan(state.where)
            sample = keys[np.linspace(0, len(keys) - 1, min(len(keys), self.sample)).astype(np.int64)]
            cosines = state.reader.similarity(state.model, state.vector, sample)
            unrelated = max(unrelated, float(cosines.mean() + self.deviations * cosines.std()))
        words = self.levels["none"]["words"]
        return Bounds(words=words, about=unrelated, cosine=unrelated, hit=unrelated, exact=words, near=unrelated)

    def _answerable(self, best: Mapping[str, float], bounds: Bounds, eligible: int) -> bool:
        words = best[_TOPIC]
        if words >= bounds.exact:
            return True
        cosine = best.get(_COSINE, 0.0)
        about = best.get(_ABOUT, cosine)
        near = bounds.cosine > 0 and about >= bounds.about - ROUNDED and cosine >= bounds.cosine - ROUNDED
        if eligible < self.judged_from:
            return near or best[_WORDS] > 0 or best[_EXPANDED] > 0
        return near and (max(words, best[_EXPANDED]) >= bounds.words or about >= bounds.near - ROUNDED)


ROUNDED = 5e-7
"""More than rounding to six decimals takes from a cosine."""
BOUNDED = ("wordllama", "onnx")
"""Embedders with constant bounds, measured for wordllama only (bench/results/evidence.md)."""
NOTHING = "nothing here matches: no shared words, names or meaning"
