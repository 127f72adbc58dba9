"""Turns lending values (term frequencies, lengths) to the turns around them, at lower weight.

A turn i takes gain_i * (sum_d before[d-1] * v_{i-d} + sum_d after[d-1] * v_{i+d}), where the turn just
before counts `question_boost` times when it ends in a question: what was asked names what is answered.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from combray.scoring.neighbours import Chain, Slots, steps

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Lending:
    """Who takes how much from whom. `gain` and `asks` (ends in a question) have one place a row."""

    chain: Chain
    before: Sequence[float]
    after: Sequence[float]
    question_boost: float
    gain: Floats
    asks: NDArray[np.bool_]

    @property
    def _asked(self) -> tuple[float, ...]:
        """What a turn takes more from the turn just before when that one is a question."""
        return tuple((self.question_boost - 1.0) * weight for weight in self.before[:1])

    def spread(self, slots: Slots, values: Floats, into: Floats) -> list[Slots]:
        """Add `values` at `slots` and what the turns around take of them; the slots touched.

        A turn takes from those before it, so values travel along `next` with the weights of `before`.
        """
        into[slots] += values
        touched = [slots]
        asking = np.flatnonzero(self.asks[slots])
        for givers, given, pointers, weights in (
            (slots, values, self.chain.next, self.before),
            (slots, values, self.chain.previous, self.after),
            (slots[asking], values[asking], self.chain.next, self._asked),
        ):
            for places, takers, weight in steps(pointers, givers, weights):
                # Distinct givers have distinct takers at one distance, so this plain += loses nothing.
                into[takers] += weight * given[places] * self.gain[takers]
                touched.append(takers)
        return touched

    def around(self, takers: Slots, values: NDArray[Any]) -> Floats:
        """What the rows `takers` get of one value a row from the turns around them, before their gain."""
        taken = np.zeros(len(takers))
        for pointers, weights, lent in (
            (self.chain.previous, self.before, values),
            (self.chain.next, self.after, values),
            (self.chain.previous, self._asked, values * self.asks),
        ):
            for places, givers, weight in steps(pointers, takers, weights):
                taken[places] += weight * lent[givers]
        return taken
