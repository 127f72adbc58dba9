"""Arrays of zeros that are lent and taken back, and scores of the few rows of a namespace that match.

Fresh memory is slow to touch: half a microsecond a page, and postings are spread over all pages.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]

_MOST_KEPT = 8
"""Arrays that are kept for the next search."""
_SORTING = 64
"""Rows that can be scanned for non-zero values in the time it takes to sort one slot (measured)."""


def ascending(values: Indices) -> Indices:
    """Return the distinct values, ascending, as `np.unique` does, which loads `numpy.ma` on its first call."""
    ordered = np.sort(values)
    if len(ordered) < 2:
        return ordered
    first = np.empty(len(ordered), dtype=np.bool_)
    first[0] = True
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    result: Indices = ordered[first]
    return result


class Scratch:
    """Arrays of zeros, one value per row. Threads may share it: an array is lent to one of them at a time."""

    def __init__(self) -> None:
        self._idle: list[Floats] = []

    def lend(self, rows: int) -> Floats:
        """Return an array of zeros, one per row."""
        try:
            array = self._idle.pop()
        except IndexError:
            array = np.zeros(0)
        if len(array) < rows:
            array = np.zeros(rows + rows // 8 + 1024)
        return array[:rows]

    def take_back(self, array: Floats, touched: Indices) -> None:
        """Take back a lent array that is zero but for the slots touched."""
        array[touched] = 0.0
        if len(self._idle) < _MOST_KEPT:
            self._idle.append(array if array.base is None else array.base)


class Sparse(msgspec.Struct, frozen=True):
    """Scores of few rows: `scores` is a lent array, zero but for the `touched` slots, which are distinct."""

    scores: Floats
    touched: Indices


def distinct(touched: Sequence[Indices], values: Floats) -> Indices:
    """Return the slots touched at least once, ascending, by sorting the lists or scanning the values."""
    if len(touched) == 1:
        return touched[0]
    if _SORTING * sum(len(each) for each in touched) < len(values):
        found = ascending(np.concatenate(touched))
        return found[values[found] > 0]
    return np.flatnonzero(values)
