"""Another way to fuse, for comparison: reciprocal ranks in the place of the default preset's weighted scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from combray.recall.signals import WeighSignals
from combray.recall.state import Recalling
from combray.recall.weigh import weighted_sum
from combray.runtime import Ranked, Runtime
from combray.scoring.rrf import reciprocal_rank_fusion

FUSIONS = ("weights", "rrf")
LISTS = ("context", "own", "window")


@dataclass(frozen=True)
class RankSignals(WeighSignals):
    """Reciprocal rank fusion of keywords, cosine and cosine with neighbours, scaled to 1.

    It takes the place of their weighted sum, with the sum of their weights; the small signals stay as they are.
    """

    label: ClassVar[str] = "WeighSignals"
    k: int = 60

    def __call__(self, state: Recalling, runtime: Runtime) -> Recalling:
        """Score every candidate."""
        del runtime
        if len(state.keys):
            weights = self.weights(state)
            fused = reciprocal_rank_fusion(state.keys, [ranked(state, name) for name in LISTS], self.k)
            state.scores = weighted_sum(state, {n: w for n, w in weights.items() if n not in LISTS})
            state.scores += sum(weights.get(name, 0.0) for name in LISTS) * fused / max(fused.max(), 1e-9)
        return state


def ranked(state: Recalling, name: str) -> Ranked:
    """Candidates with any of the signal, best first, ties by key."""
    if name not in state.signals:
        return Ranked(state.keys[:0], np.zeros(0))
    signal = state.signals[name]
    order = np.lexsort((state.keys, -signal))
    order = order[signal[order] > 0]
    return Ranked(state.keys[order], signal[order])
