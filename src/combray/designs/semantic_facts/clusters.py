"""The most confident memory of each cluster first."""

from __future__ import annotations

import numpy as np

from combray.designs.diversity import similarities
from combray.forms.recalling import Recalling
from combray.pipeline import stage
from combray.recall.weigh import sort
from combray.runtime import Runtime
from combray.scoring.leaders import clusters_by_leader


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
