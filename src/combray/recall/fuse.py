"""Fusion of several ranked lists."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from combray.recall.state import Recalling
from combray.runtime import Runtime
from combray.scoring.rrf import reciprocal_rank_fusion


@dataclass(frozen=True)
class FuseRRF:
    """Reciprocal rank fusion: sum of 1 / (k + rank + 1), rank from 0, scaled so that the best is 1.

    Cormack, Clarke, Büttcher, SIGIR 2009; k = 60 (Mnemon 5.2 step 2).
    """

    needs: ClassVar[tuple[str, ...]] = ("found",)
    gives: ClassVar[tuple[str, ...]] = ("candidates", "anchor")
    k: int = 60

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if state.found is None or not len(state.found.keys):
            return state
        state.keys = state.found.keys
        fused = reciprocal_rank_fusion(state.keys, [each.keys for each in state.found.lists.values()], self.k)
        state.signals["anchor"] = fused / fused.max()
        for name, ranked in state.found.lists.items():
            for key in (int(each) for each in ranked.keys):
                # Being recent too does not make a keyword hit a hybrid one.
                known = state.via.get(key, "time")
                state.via[key] = name if known == "time" else known if name == "time" else "hybrid"
        state.scores = np.zeros(len(state.keys))
        state.details["anchor_count"] = len(state.keys)
        return state
