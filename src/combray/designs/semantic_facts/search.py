"""Facts and episodes by similarity, confidence and recency ("Semantic Fact System", section 2), and clusters."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from combray.designs.shared import similarities
from combray.forms.recalling import Recalling, sure_enough
from combray.pipeline import stage
from combray.recall.score import sort
from combray.recall.search import context_arm
from combray.runtime import Arm, Runtime, VectorArm
from combray.scoring.ageing import exponential
from combray.scoring.ranking import DECIMALS
from combray.scoring.similarity import clusters_by_leader
from combray.types import LIVE_STATUSES

_DAY = 86_400.0


@stage
class SearchFacts:
    """Finds the `pool` nearest memories with a confidence above `confidence_above`, and as many by words.

    Confidence and status are filters of the search, so that nothing unsure takes a place. A cosine below
    `minimum_cosine` is no evidence; what the embedder does not know of the query's language is taken off it.
    What waits for its vector (`pending_embed`), or was stored without one, is found by its words alone: an
    older vector may not be of its present text.

    `similarity` = 1 - (1 - cosine)(1 - text), where text is BM25 as a share of a perfect match, in [0, 1): the
    cosine itself where no word is shared. Words of the turns around an episode count for it at lower weight. A
    greater limit of the caller widens the pool.
    """

    needs = ("terms", "vector")
    gives = ("found", "candidates", "similarity")
    pool: int = 20
    confidence_above: float = 0.3
    minimum_cosine: float = 0.10
    most_terms: int = 32

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        where = sure_enough(state.where, self.confidence_above)
        arms: dict[str, Arm] = {"text": context_arm(state.terms[: self.most_terms], normalise=True)}
        if state.embedded.vector is not None:
            arms["vector"] = VectorArm(state.embedded.vector, state.embedded.model, self.minimum_cosine)
        state.found = state.reader.search(arms, where, max(self.pool, state.asked.limit))
        state.keys, text = state.found.keys, state.found.scores["text"]
        cosine = state.found.scores.get("vector", np.zeros(len(state.keys))) * state.embedded.trust
        if where.statuses == LIVE_STATUSES:
            cosine = cosine * state.reader.eligible(state.keys, replace(where, statuses=("active",)))
        state.signals["similarity"] = np.round(1.0 - (1.0 - cosine) * (1.0 - text), DECIMALS)
        state.signals["context"] = text
        for key, near, worded in zip(state.keys.tolist(), cosine > 0, text > 0, strict=True):
            state.via[key] = "hybrid" if near and worded else "vector" if near else "keyword"
        state.take(state.signals["similarity"] > 0)
        return state


@stage
class WeighRelevance:
    """relevance = similarity · 0.6 + confidence · 0.3 + recency · 0.1.

    recency = exp(-0.01 · days since the memory's moment), the curve by which confidence fades in consolidation:
    1 now, .74 after 30 days, .03 after a year.
    """

    needs = ("similarity",)
    gives = ("score",)
    similarity: float = 0.6
    confidence: float = 0.3
    recency: float = 0.1
    fading: float = 0.01

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if not len(state.keys):
            return state
        rows = state.columns()
        state.signals["confidence"] = rows.confidence
        state.signals["recency"] = exponential((state.now - rows.moment) / _DAY, self.fading)
        state.scores = np.round(
            self.similarity * state.signals["similarity"]
            + self.confidence * state.signals["confidence"]
            + self.recency * state.signals["recency"],
            DECIMALS,
        )
        sort(state)
        return state


@stage
class DiversityClusters:
    """Ranks the most confident memory of each cluster first, the rest of the clusters after them.

    A cluster is its most confident memory and those with a cosine of at least `threshold` to it that are in no
    cluster of a more confident one; ties go by score, then by id. Memories without a vector are compared by
    words, as in `MMR`. Leaders are ordered by score, then the rest by score; the scores stay. Source: Semantic
    Fact System, "Diversity Sampling".
    """

    needs = ("score",)
    threshold: float = 0.8
    snippet: int = 700
    """As in `MMR`."""

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if len(state.keys) < 2:
            return state
        sort(state)
        count = len(state.keys)
        # Places are by score already, so equally confident ones keep that order.
        surest = np.lexsort((np.arange(count), -state.columns().confidence))
        similar_to = similarities(state, count, "vectors", self.snippet)
        near = [np.flatnonzero(similar_to(int(place))[surest] >= self.threshold).tolist() for place in surest]
        groups = clusters_by_leader(count, near.__getitem__, lambda leader, member: leader != member)
        led = np.zeros(count, dtype=bool)
        led[[surest[member] for group in groups for member in group[1:]]] = True
        state.details["clusters"] = count - int(led.sum())
        state.take(np.concatenate((np.flatnonzero(~led), np.flatnonzero(led))))
        return state
