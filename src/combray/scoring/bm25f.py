"""BM25F over posting lists, with context expansion: a turn also scores for its neighbours' terms.

Term frequencies are weighted and summed over the fields first, then saturated once. Context expansion treats
the turns around a turn as further fields. It happens while scoring, so a new turn changes no stored row.
Turn i gets gain_i * (sum_d before[d-1] * v_{i-d} + sum_d after[d-1] * v_{i+d}). The turn just before counts
`question_boost` times if it ends in a question, because a question names what its answer leaves unsaid.

Source: Robertson, Zaragoza and Taylor, "Simple BM25 extension to multiple weighted fields", CIKM 2004,
https://doi.org/10.1145/1031171.1031181.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from combray.scoring.ranking import Scratch, Sparse, distinct
from combray.scoring.turns import Chain, Slots, steps

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


class Posting(msgspec.Struct, frozen=True):
    """The posting list of one term: distinct slots, ascending, and the field-weighted frequency in each."""

    slots: Slots
    frequencies: Floats
    weight: float


def idf(rows: int, holding: int) -> float:
    """Return ln(1 + (N - n + 0.5) / (n + 0.5)), which is positive also for a term in most rows."""
    return math.log(1.0 + (rows - holding + 0.5) / (holding + 0.5))


def bm25f(
    postings: Sequence[Posting],
    rows: int,
    lengths: Callable[[Slots], Floats],
    average: float,
    expansion: ContextExpansion,
    k1: float,
    b: float,
    scratch: Scratch,
) -> Sparse:
    """Return the scores of the rows that match.

    `lengths` of slots are expanded as the frequencies are; `rows` is the number of rows that count, and `average`
    their mean length.
    """
    count = len(expansion.asks)
    scores, frequency = scratch.lend(count), scratch.lend(count)
    matching = [np.zeros(0, dtype=np.int64)]
    alone = not (expansion.before or expansion.after)
    for posting in postings:
        if not posting.weight:
            continue
        if alone:
            at, found = posting.slots, posting.frequencies
        else:
            at = distinct(expansion.spread(posting.slots, posting.frequencies, frequency), frequency)
            found = frequency[at]
        gain = posting.weight * idf(rows, len(posting.slots)) * (k1 + 1.0)
        norm = k1 * (1.0 - b + b * lengths(at) / max(average, 1e-9))
        matching.append(at[scores[at] == 0.0])
        scores[at] += gain * found / (found + norm)
        if not alone:
            frequency[at] = 0.0
    scratch.take_back(frequency, matching[0])
    return Sparse(scores, np.concatenate(matching))


def best_possible(postings: Sequence[Posting], rows: int, k1: float, strongest: int = 0) -> float:
    """Return the upper bound of the score: the sum of weight · idf · (k1 + 1) over the terms.

    `strongest`: only this many terms count, those with the highest bounds; 0 for all.
    """
    bounds = sorted((each.weight * idf(rows, len(each.slots)) * (k1 + 1.0) for each in postings), reverse=True)
    return sum(bounds[:strongest] if strongest else bounds)


def coverage(postings: Sequence[Posting], rows: int, terms: int, scratch: Scratch) -> Sparse:
    """Return the share of the query's `terms` that each row holds."""
    scores = scratch.lend(rows)
    matching = [np.zeros(0, dtype=np.int64)]
    for posting in postings:
        matching.append(posting.slots[scores[posting.slots] == 0.0])
        scores[posting.slots] += 1.0
    touched = np.concatenate(matching)
    scores[touched] /= max(terms, 1)
    return Sparse(scores, touched)
