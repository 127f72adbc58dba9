"""Decay by the age of a file (OpenClaw stage 4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from combray.recall.state import Recalling
from combray.runtime import Runtime
from combray.scoring.decay import half_life
from combray.scoring.ranking import DECIMALS
from combray.types import Memory

_DAY = 86_400.0


@dataclass(frozen=True)
class FileAgeDecay:
    """Multiplies the score by exp(-ln 2 / half-life · age in days). Off by default.

    A chunk's age is that of its file: the date in the file's name, else the time of its last change. Files
    without either, such as MEMORY.md, are evergreen; their chunks have no moment and never decay. Other
    memories age from their moment.
    """

    needs: ClassVar[tuple[str, ...]] = ("score",)
    gives: ClassVar[tuple[str, ...]] = ()
    half_life_days: float = 30.0
    enabled: bool = False

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if not self.enabled or not len(state.keys):
            return state
        days = np.array([_age(memory, state.now) for memory in state.reader.memories(state.keys)])
        state.signals["decay"] = half_life(days, self.half_life_days)
        state.scores = np.round(state.scores * state.signals["decay"], DECIMALS)
        return state


def _age(memory: Memory, now: float) -> float:
    """Days; 0 for what never ages."""
    if memory.kind == "chunk" and memory.occurred_from is None:
        return 0.0
    return (now - memory.moment.timestamp()) / _DAY
