"""Context expansion: neighbours' term frequencies and lengths, added to a turn at lower weight.

Turn i gets gain_i * (sum_d before[d-1] * v_{i-d} + sum_d after[d-1] * v_{i+d}). The turn just before counts
`question_boost` times if it ends in a question, because a question names what its answer leaves unsaid.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from combray.scoring.neighbours import Chain, Slots, steps

Floats = NDArray[np.float64]


class ContextExpansion(msgspec.Struct, frozen=True):
    """The weights of neighbours. `gain` returns the gains of slots; `asks` flags those that end in a question."""

    chain: Chain
    before: Sequence[float]
    after: Sequence[float]
    question_boost: float
    gain: Callable[[Slots], Floats]
    asks: NDArray[np.bool_]

    @property
    def _asked(self) -> tuple[float, ...]:
        """The additional weight of the turn just before if it is a question."""
        return tuple((self.question_boost - 1.0) * weight for weight in self.before[:1])

    def spread(self, slots: Slots, values: Floats, into: Floats) -> list[Slots]:
        """Add `values` at `slots` and, weighted, at their neighbours; return the slots touched.

        A turn receives from those before it, so values travel along `next` with the weights of `before`.
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
                # Distinct givers have distinct takers at one distance, so this += has no repeated index.
                into[takers] += weight * given[places] * self.gain(takers)
                touched.append(takers)
        return touched

    def around(self, takers: Slots, values: NDArray[Any]) -> Floats:
        """Return the weighted sum of the neighbours' values for the rows `takers`, before their gain."""
        taken = np.zeros(len(takers))
        for pointers, weights, lent in (
            (self.chain.previous, self.before, values),
            (self.chain.next, self.after, values),
            (self.chain.previous, self._asked, values * self.asks),
        ):
            for places, givers, weight in steps(pointers, takers, weights):
                taken[places] += weight * lent[givers]
        return taken
