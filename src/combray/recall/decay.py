"""How age enters a score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from combray.recall.state import Recalling
from combray.runtime import Runtime
from combray.scoring.decay import half_life

_DAY = 86_400.0


@dataclass(frozen=True)
class AgePrior:
    """A small bonus for newer memories, added and never multiplied (a multiplied half-life of 30 days took
    recall@10 from 83 to 20: QUALITY.md).

    `weight` holds for every question and is 0 unless decay is switched on; `weight_when_asked` for questions
    that ask for the latest ("currently", "most recent").
    """

    needs: ClassVar[tuple[str, ...]] = ("score", "question")
    gives: ClassVar[tuple[str, ...]] = ("age",)
    weight: float = 0.0
    weight_when_asked: float = 0.10
    half_life_days: float = 30.0

    def __call__(self, state: Recalling, runtime: Runtime) -> Recalling:
        """Add the bonus; age is counted from the newest candidate, so that an old store loses nothing."""
        del runtime
        asked = state.question is not None and state.question.asks_latest
        weight = max(self.weight, self.weight_when_asked) if asked else self.weight
        if not weight or not len(state.keys):
            return state
        moment = state.columns().moment
        state.signals["age"] = half_life((moment.max() - moment) / _DAY, self.half_life_days)
        state.scores = np.round(state.scores + weight * state.signals["age"], 6)
        return state
