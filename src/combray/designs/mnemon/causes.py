"""Causes before effects, for a question of why."""

from __future__ import annotations

import numpy as np

from combray.forms.recalling import Recalling
from combray.pipeline import stage
from combray.runtime import Runtime
from combray.scoring.toposort import causes_first


@stage
class OrderCauses:
    """For WHY, orders causes before effects: Kahn's algorithm over causal edges among the hits.

    A hit passes only hits that causal edges join it to: whatever stands between two hits and is joined to
    neither keeps both in their places.
    """

    needs = ("top", "intent")

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if state.intent != "WHY" or len(state.keys) < 2:
            return state
        keys = [int(key) for key in state.keys]
        edges = [(link.source, link.target) for link in state.reader.links(keys, ("causal",))]
        # Only hits side by side that causal edges join change places.
        place = {key: at for at, key in enumerate(keys)}
        state.take(np.array([place[key] for key in causes_first(keys, edges)], dtype=np.int64))
        return state
