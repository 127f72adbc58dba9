"""Reciprocal rank fusion of the lists that a search gives: mnemon and mnemo."""

from __future__ import annotations

import numpy as np

from combray.forms.recalling import Recalling
from combray.pipeline import stage
from combray.runtime import Runtime
from combray.scoring.rrf import reciprocal_rank_fusion


@stage
class FuseRRF:
    """Reciprocal rank fusion: sum of 1 / (k + rank + 1), rank from 0, scaled so that the best is 1.

    Cormack, Clarke, Büttcher, SIGIR 2009; k = 60 (docs/reference/presets.md, preset mnemon).
    """

    needs = ("found",)
    gives = ("candidates", "anchor")
    k: int = 60
    tied: bool = False
    """Whether candidates of one score in a list share the rank, so that later stages order them."""

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if state.found is None or not len(state.found.keys):
            return state
        state.keys = state.found.keys
        lists = list(state.found.lists.values())
        fused = reciprocal_rank_fusion(state.keys, lists, self.k, tied=self.tied)
        state.signals["anchor"] = fused / fused.max()
        for name, ranked in state.found.lists.items():
            for key in (int(each) for each in ranked.keys):
                # Being recent too does not make a keyword hit a hybrid one.
                known = state.via.get(key, "time")
                state.via[key] = name if known == "time" else known if name == "time" else "hybrid"
        state.scores = np.zeros(len(state.keys))
        state.details["anchor_count"] = len(state.keys)
        return state
