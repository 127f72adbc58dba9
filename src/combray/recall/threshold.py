"""A score threshold (OpenClaw stage 6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from combray.recall.state import Recalling
from combray.runtime import Runtime


@dataclass(frozen=True)
class Threshold:
    """Drops hits below `minimum`, except those that hold a word of the query: they go last.

    A hit by words alone scores at most the text's weight, .3 of 1: the threshold is one for vectors and drops
    only what nothing but its vector speaks for. A caller's own minimum takes its place and holds for every
    hit (`Cut`); 0 drops nothing.
    """

    needs: ClassVar[tuple[str, ...]] = ("score", "text")
    gives: ClassVar[tuple[str, ...]] = ()
    minimum: float = 0.35

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if state.min_score is not None or not len(state.keys):
            return state
        strict = state.scores >= self.minimum
        worded = ~strict & (state.signals["text"] > 0)
        state.take(np.concatenate((np.flatnonzero(strict), np.flatnonzero(worded))))
        if not len(state.keys):
            state.reason = f"nothing here holds a word of this or scores {self.minimum} by meaning"
        return state
