"""The cosines of all rows with one query: products, made cosines for the rows that are asked for."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import ClassVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from combray.runtime import Scores
from combray.scoring.ranking import DECIMALS
from combray.scoring.turns import Slots

SAMPLE, _LEAST_SAMPLE = 4096, 1024
"""Rows that the sample for many and for few leading rows holds at least; fewer rows are all candidates."""
_BLOCK = 8192
"""Rows compared with a floor at once: memory that small is used again, and stays in the processor's cache."""
ROUNDING = 2.0 * 10.0**-DECIMALS
"""More than two scores can differ that are equal when rounded."""


class Products(msgspec.Struct, frozen=True, dict=True):
    """Implements `scored.Measured` on the product of every row's code with the query's.

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
        def reaching(floor: float) -> Slots:
            # A product for each row is cheaper than a quotient. A hair below the floor, for the rounding of both.
            bound, parts = (floor - 1e-9) * self.length, []
            for start in range(0, len(self.products), _BLOCK):
                block = slice(start, start + _BLOCK)
                parts.append(start + np.flatnonzero(self.products[block] >= bound * self.lengths[block]))
            found = np.concatenate(parts)
            return found[eligible[found]]

        return by_sample(len(self.products), self.of, eligible, limit, reaching)


def by_sample(
    rows: int,
    values: Callable[[Slots], Scores],
    eligible: NDArray[np.bool_],
    limit: int,
    reaching: Callable[[float], Slots],
) -> Slots:
    """Return slots that hold the best `limit` eligible rows, and all that are equal to the last when rounded.

    A floor is guessed from a sample and lowered until enough rows reach it: sorting all of them takes longer.
    `values` returns those of some rows, `reaching` the eligible rows whose value may reach a floor.
    """
    step = max(1, rows // max(_LEAST_SAMPLE, min(2 * limit, SAMPLE)))
    if step > 1:
        chosen = np.arange(0, rows, step)
        sample = values(chosen[eligible[::step]])
        wanted = 2 * limit // step + 8
        while wanted < len(sample):
            floor = np.partition(sample, len(sample) - wanted)[len(sample) - wanted]
            found = reaching(floor)
            reached = values(found)
            if int((reached >= floor + ROUNDING).sum()) >= limit:
                leading: Slots = found[reached >= floor]
                return leading
            wanted *= 4
    return np.flatnonzero(eligible)
