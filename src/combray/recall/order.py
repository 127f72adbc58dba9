"""Order of the hits: causes before effects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from combray.recall.state import Recalling
from combray.runtime import Runtime
from combray.scoring.toposort import causes_first


@dataclass(frozen=True)
class OrderCauses:
    """For WHY, orders causes before effects: Kahn's algorithm over causal edges among the hits (Mnemon 5.2).

    `only_when_asked` leaves the order by score alone unless the caller named the intent: a guess at the
    intent must not move the best hit down.
    """

    needs: ClassVar[tuple[str, ...]] = ("top", "intent")
    gives: ClassVar[tuple[str, ...]] = ()
    only_when_asked: bool = False

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        guessed = self.only_when_asked and state.intent_source != "override"
        if state.intent != "WHY" or guessed or len(state.keys) < 2:
            return state
        keys = [int(key) for key in state.keys]
        edges = [(link.source, link.target) for link in state.reader.links(keys, ("causal",))]
        place = {key: at for at, key in enumerate(keys)}
        state.take(np.array([place[key] for key in causes_first(keys, edges)], dtype=np.int64))
        return state
