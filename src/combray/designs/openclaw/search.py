"""OpenClaw's search: keywords and vectors, their weighted sum, the age of a file, the threshold."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from combray.designs.shared import LEAST, share_of_best
from combray.forms.recalling import Recalling
from combray.language.expansion import expand
from combray.language.tokens import terms
from combray.pipeline import stage
from combray.recall.score import sort
from combray.recall.search import context_arm
from combray.runtime import Arm, KeywordArm, Runtime, Scores, VectorArm
from combray.scoring.ageing import half_life
from combray.scoring.ranking import DECIMALS


@stage
class ExtractKeywords:
    """Extracts the words of the query to search for, without stop words and known authors, in eight languages."""

    needs = ("question",)
    gives = ("keywords",)

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        # Author names are in every row of theirs, and in few of the texts that answer.
        expansion = expand((state.question and state.question.bare) or state.query)
        state.words.keywords = state.details["keywords"] = expansion.keywords
        state.words.exact = state.details["exact"] = expansion.exact
        return state


@stage
class SearchHybrid:
    """Finds the best `pool` of each arm, whatever the caller's limit, so that the best hit does not depend on it.

    Rows with all words of the query come before rows with some of its keywords. The rows around a row in its
    session lend it their words at lower weight. Numbers and words of one or two letters find no rows and raise
    the score of rows that another word finds. With a vector the nearest rows are found too, and with `hybrid`
    off they alone.

    `text` is BM25 as a share of the query's best hit, in (0, 1]; `vector` the cosine, never below 0. At most
    `most_words` words of a query are used.
    """

    needs = ("keywords", "vector")
    gives = ("found", "candidates", "text")
    pool: int = 200
    most_words: int = 32
    hybrid: bool = True

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        dense = state.embedded.vector is not None and state.embedded.trust > 0
        arms: dict[str, Arm] = {}
        if self.hybrid or not dense:
            words = {
                "all": KeywordArm(tuple((term, 1.0) for term in self._terms([state.query])), mode="all"),
                "some": context_arm(self._terms(state.words.keywords)),
                "exact": replace(context_arm(self._terms(state.words.exact)), listed=False),
            }
            arms |= {name: arm for name, arm in words.items() if arm.terms}
        if state.embedded.vector is not None and dense:
            arms["vector"] = VectorArm(state.embedded.vector, state.embedded.model)
        state.found = state.reader.search(arms, state.where, max(self.pool, state.asked.limit))
        state.keys = state.found.keys
        scores = state.found.scores
        none = np.zeros(len(state.keys))
        if dense:
            state.signals["vector"] = scores.get("vector", none)
        some = scores.get("some", none) + scores.get("exact", none)
        text = strict_before_relaxed(scores.get("all", none), some)
        state.signals["text"] = text
        nearest = state.found.lists["vector"].keys if dense else none[:0]
        for key, worded, near in zip(state.keys.tolist(), text > 0, np.isin(state.keys, nearest), strict=True):
            state.via[key] = "hybrid" if worded and near else "keyword" if worded else "vector"
        return state

    def _terms(self, texts: Iterable[str]) -> list[str]:
        return list(dict.fromkeys(term for text in texts for term in terms(text)))[: self.most_words]


def strict_before_relaxed(strict: Scores, relaxed: Scores) -> Scores:
    """Shares of the best strict score. Rows without a strict score are scaled below the lowest of those."""
    shares = share_of_best(strict)
    below = float(shares[shares > 0].min(initial=1.0))
    rest = np.where(relaxed > 0, np.maximum(below * share_of_best(relaxed), LEAST), 0.0)
    return np.where(shares > 0, shares, rest)


@stage
class MergeHybrid:
    """score = vector weight · cosine + text weight · text, the weights scaled to a sum of 1, a missing score 0.

    What the embedder does not know of the query's language is taken from the vector's weight and given to the
    text. Without a vector the score is the text's.
    """

    needs = ("text",)
    gives = ("score",)
    vector_weight: float = 0.7
    text_weight: float = 0.3

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        text = state.signals["text"]
        if "vector" not in state.signals:
            state.scores = text
            return state
        vector_weight = self.vector_weight / (self.vector_weight + self.text_weight) * state.embedded.trust
        state.scores = np.round(vector_weight * state.signals["vector"] + (1.0 - vector_weight) * text, DECIMALS)
        return state


@stage
class Threshold:
    """Drops hits below `minimum`, except those that hold a word of the query: they go last.

    A hit by words alone scores at most the text's weight, .3 of 1, so the threshold drops only hits that have a
    vector score and no text score. The caller's minimum replaces it and applies to every hit (`Cut`); 0 drops
    nothing.
    """

    needs = ("score", "text")
    minimum: float = 0.35

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if state.asked.min_score is not None or not len(state.keys):
            return state
        strict = state.scores >= self.minimum
        worded = ~strict & (state.signals["text"] > 0)
        state.take(np.concatenate((np.flatnonzero(strict), np.flatnonzero(worded))))
        if not len(state.keys):
            state.reason = f"nothing here holds a word of this or scores {self.minimum} by meaning"
        return state


_DAY = 86_400.0


@stage
class FileAgeDecay:
    """Multiplies the score by exp(-ln 2 / half-life · age in days). Off by default.

    A chunk's age is that of its messages or its file: the date in the file's name, else its last change. Files
    without either, such as MEMORY.md, are evergreen; their chunks have no moment and never decay. Other
    memories age from their moment.
    """

    needs = ("score",)
    half_life_days: float = 30.0
    enabled: bool = False

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if not self.enabled or not len(state.keys):
            return state
        ages = [
            # An evergreen chunk has no moment.
            0.0 if each.kind == "chunk" and each.occurred_from is None else state.now - each.moment.timestamp()
            for each in state.reader.memories(state.keys)
        ]
        days = np.array(ages) / _DAY
        state.signals["decay"] = half_life(days, self.half_life_days)
        state.scores = np.round(state.scores * state.signals["decay"], DECIMALS)
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
