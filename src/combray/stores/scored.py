"""An arm's scores of a namespace: of few rows, of all, or of the rows that are asked for.

Cosines begin as products of one query with every row. They are made cosines for the rows that are asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import ClassVar, Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from combray.runtime import Scores
from combray.scoring.ranking import DECIMALS, Sparse
from combray.scoring.turns import Slots, around
from combray.stores.snapshot import Snapshot

_SAMPLE, _LEAST_SAMPLE = 4096, 1024
"""Rows that the sample for many and for few leading rows holds at least; fewer rows are all candidates."""
_BLOCK = 8192
"""Rows compared with a floor at once: memory that small is used again, and stays in the processor's cache."""
_ROUNDING = 2.0 * 10.0**-DECIMALS
"""More than two scores can differ that are equal when rounded."""
_REACH = 16
"""Candidates of a window, as a multiple of the rows wanted: turns with a good cosine, and those around them."""


class Scored(Protocol):
    """Scores of the rows of a snapshot."""

    def at(self, slots: Slots) -> Scores:
        """Return the scores of some rows."""

    def leading(self, eligible: NDArray[np.bool_], limit: int) -> Slots:
        """Return slots that hold the best `limit` eligible rows with a positive score."""


class Measured(Protocol):
    """The cosines of a namespace's rows with one query vector; 0 for rows without a vector."""

    @property
    def is_remote(self) -> bool:
        """Whether cosines that `of` has not returned before take a request to a server."""

    @property
    def has(self) -> NDArray[np.bool_]:
        """Which rows have a vector."""

    @property
    def average(self) -> float:
        """The mean cosine of the rows with a vector."""

    def of(self, slots: Slots) -> Scores:
        """Return the cosines of some rows."""

    def leading(self, eligible: NDArray[np.bool_], limit: int) -> Slots:
        """Return slots that hold the best `limit` eligible rows."""


class Products(msgspec.Struct, frozen=True, dict=True):
    """Implements `Measured` on the product of every row's code with the query's.

    `lengths` are those of the rows' codes, `length` that of the query's. `has` marks the rows with a vector,
    `shown` those that count; None for all.
    """

    products: Scores
    lengths: Scores
    length: float
    has: NDArray[np.bool_]
    shown: NDArray[np.bool_] | None = None
    is_remote: ClassVar[bool] = False

    def of(self, slots: Slots | slice) -> Scores:
        products = self.products[slots]
        if not self.length:
            return products
        lengths = self.lengths[slots]
        # A row of zeros has a product of 0 with anything: any length will do.
        cosines: Scores = products / (np.where(lengths > 0, lengths, 1.0) * self.length)
        return cosines if self.shown is None else np.where(self.shown[slots], cosines, 0.0)

    @cached_property
    def average(self) -> float:
        return float(self.of(slice(None)).sum() / self.has.sum()) if self.has.any() else 0.0

    def leading(self, eligible: NDArray[np.bool_], limit: int) -> Slots:
        """Return also all rows that are equal to the last when rounded.

        A floor is guessed from a sample and lowered until enough rows reach it: sorting all of them takes longer.
        """
        rows = len(self.products)
        step = max(1, rows // max(_LEAST_SAMPLE, min(2 * limit, _SAMPLE)))
        if step > 1:
            chosen = np.arange(0, rows, step)
            sample = self.of(chosen[eligible[::step]])
            wanted = 2 * limit // step + 8
            while wanted < len(sample):
                floor = np.partition(sample, len(sample) - wanted)[len(sample) - wanted]
                found = self._reaching(floor)
                found = found[eligible[found]]
                reached = self.of(found)
                if int((reached >= floor + _ROUNDING).sum()) >= limit:
                    leading: Slots = found[reached >= floor]
                    return leading
                wanted *= 4
        return np.flatnonzero(eligible)

    def _reaching(self, floor: float) -> Slots:
        """Return the rows whose cosine may reach a floor."""
        # A product for each row is cheaper than a quotient. A hair below the floor, for the rounding of both.
        bound, parts = (floor - 1e-9) * self.length, []
        for start in range(0, len(self.products), _BLOCK):
            block = slice(start, start + _BLOCK)
            parts.append(start + np.flatnonzero(self.products[block] >= bound * self.lengths[block]))
        return np.concatenate(parts)


class Few(msgspec.Struct, frozen=True):
    """Scores of the rows that match; 0 for others."""

    found: Sparse

    def at(self, slots: Slots) -> Scores:
        return np.round(self.found.scores[slots], DECIMALS)

    def leading(self, eligible: NDArray[np.bool_], limit: int) -> Slots:
        slots = self.found.touched[eligible[self.found.touched]]
        if not 0 < limit < len(slots):
            return slots
        scores = self.found.scores[slots]
        least = np.partition(scores, len(slots) - limit)[len(slots) - limit]
        best: Slots = slots[scores >= least - _ROUNDING]
        return best


class HeldShare(msgspec.Struct, frozen=True):
    """The share of some terms that a row holds, counted for the rows that are asked for. It leads no row."""

    holders: Sequence[Slots]
    """Ascending, a list for each term that was read."""
    terms: int

    def at(self, slots: Slots) -> Scores:
        held = np.zeros(len(slots))
        for each in self.holders:
            if len(each):
                held += each.take(np.searchsorted(each, slots), mode="clip") == slots
        return np.round(held / max(self.terms, 1), DECIMALS)

    def leading(self, eligible: NDArray[np.bool_], limit: int) -> Slots:  # noqa: ARG002 - of the protocol
        return np.zeros(0, dtype=np.int64)


class All(msgspec.Struct, frozen=True):
    """Scores of all rows. Rows below the minimum are scored but do not lead."""

    scores: Scores
    minimum: float = 0.0
    exact: bool = False
    """Whether scores are not rounded: the thousandth rank and the next must differ."""

    def at(self, slots: Slots) -> Scores:
        return self.scores[slots] if self.exact else np.round(self.scores[slots], DECIMALS)

    def leading(self, eligible: NDArray[np.bool_], limit: int) -> Slots:  # noqa: ARG002 - of the protocol
        return np.flatnonzero(eligible & (self.scores > 0) & (self.scores >= self.minimum))


class Cosines(msgspec.Struct, frozen=True):
    """Cosines with a query; 0 below the minimum and for rows without a vector."""

    measured: Measured
    minimum: float

    def at(self, slots: Slots) -> Scores:
        return _from_minimum(self.measured.of(slots), self.measured.has[slots], self.minimum)

    def leading(self, eligible: NDArray[np.bool_], limit: int) -> Slots:
        return self.measured.leading(eligible, limit)


class Windows(msgspec.Struct, frozen=True):
    """Each turn's cosine plus, at lower weight, its neighbours' differences from the mean cosine.

    Approximates embedding the window around a turn (equal within half a point: bench/results/quality.md) at the
    cost of one vector per memory instead of two. Not divided by the sum of weights: sessions of different gain
    must stay comparable.
    """

    snapshot: Snapshot
    measured: Measured
    minimum: float
    before: tuple[float, ...]
    after: tuple[float, ...]
    question_boost: float
    gain: Callable[[Slots], Scores]

    def at(self, slots: Slots) -> Scores:
        return _from_minimum(self._smoothed(slots), self.measured.has[slots], self.minimum)

    def leading(self, eligible: NDArray[np.bool_], limit: int) -> Slots:
        """A turn leads if it or one of the turns around it has a good cosine."""
        if self.snapshot.count < 2 * _SAMPLE:
            return np.flatnonzero(eligible)
        many = _REACH * limit
        near = self.measured.leading(self.snapshot.shown, many)
        near = around(self.snapshot.chain, near, max(len(self.before), len(self.after)))
        if eligible.sum() == self.snapshot.shown_count:
            return near[eligible[near]]
        return np.union1d(near[eligible[near]], self.measured.leading(eligible, many))

    def _smoothed(self, slots: Slots) -> Scores:
        added = np.zeros(len(slots))
        average = self.measured.average
        if self.measured.is_remote:
            # One request for all of them.
            self.measured.of(around(self.snapshot.chain, slots, max(len(self.before), len(self.after))))
        for pointers, weights in (
            (self.snapshot.chain.previous, self.before),
            (self.snapshot.chain.next, self.after),
        ):
            here, places = slots, np.arange(len(slots))
            for distance, weight in enumerate(weights, start=1):
                here = pointers[here]
                there = here >= 0
                here, places = here[there], places[there]
                centred = np.where(self.measured.has[here], self.measured.of(here) - average, 0.0)
                if distance == 1 and pointers is self.snapshot.chain.previous:
                    centred *= np.where(self.snapshot.asks[here], self.question_boost, 1.0)
                added[places] += weight * centred
        smoothed: Scores = self.measured.of(slots) + self.gain(slots) * added
        return smoothed


def _from_minimum(scores: Scores, has: NDArray[np.bool_], minimum: float) -> Scores:
    """Return the scores, rounded; 0 below the minimum, below 0 and for rows without a vector."""
    # Rounded before it is compared, so that every machine decides alike at the minimum.
    rounded = np.round(scores, DECIMALS)
    return np.where(has & (rounded >= minimum), np.maximum(rounded, 0.0), 0.0)
