"""A stage of recall."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from combray.stages import Recalling, Runtime


@dataclass(frozen=True)
class PreferPinned:
    """Adds `weight` to the score of every candidate with the tag `tag`."""

    needs: ClassVar[tuple[str, ...]] = ("score",)
    gives: ClassVar[tuple[str, ...]] = ()
    weight: float = 0.2
    tag: str = "pinned"

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        """Add the bonus. It is a signal too, so that `combray recall --explain` shows it."""
        pinned = state.reader.eligible(state.keys, replace(state.where, tags=(self.tag,)))
        state.signals["pinned"] = pinned.astype(np.float64)
        state.scores = np.round(state.scores + self.weight * state.signals["pinned"], 6)
        return state
