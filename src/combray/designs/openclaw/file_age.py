"""Age in OpenClaw's score: decay by the age of a file."""

from __future__ import annotations

import numpy as np

from combray.forms.recalling import Recalling
from combray.pipeline import stage
from combray.runtime import Runtime
from combray.scoring.decay import half_life
from combray.scoring.ranking import DECIMALS

_DAY = 86_400.0


@stage
class FileAgeDecay:
    """Multiplies the score by exp(-ln 2 / half-life · age in days). Off by default.

    A chunk's age is that of its messages or its file: the date in the file's name, else its last change. Files
    without either, such as MEMORY.md, are evergreen; their chunks have no moment and never decay. Other
    memories age from their moment.
    """

    needs = ("score",)
    half_life_days: float = 30.0
    enabled: bool = False

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if not self.enabled or not len(state.keys):
            return state
        ages = [
            # An evergreen chunk has no moment.
            0.0 if each.kind == "chunk" and each.occurred_from is None else state.now - each.moment.timestamp()
            for each in state.reader.memories(state.keys)
        ]
        days = np.array(ages) / _DAY
        state.signals["decay"] = half_life(days, self.half_life_days)
        state.scores = np.round(state.scores * state.signals["decay"], DECIMALS)
        return state
