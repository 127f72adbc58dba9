"""Jaccard index of token sets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from combray.runtime import Scores


class Overlaps:
    """Jaccard index, shared tokens / all tokens, of one set of a list with every other.

    The sets become rows of token numbers once, so that one set is compared with all in one array operation. Two
    empty sets have an index of 0.
    """

    def __init__(self, sets: Sequence[Iterable[str]]) -> None:
        numbers: dict[str, int] = {}
        rows = [[numbers.setdefault(token, len(numbers)) for token in sorted(set(each))] for each in sets]
        self._sizes = np.array([len(row) for row in rows], dtype=np.int64)
        self._tokens = np.array([token for row in rows for token in row], dtype=np.int64)
        self._owners = np.repeat(np.arange(len(rows)), self._sizes)
        self._starts = np.concatenate(([0], np.cumsum(self._sizes)))
        self._vocabulary = len(numbers)

    def of(self, place: int) -> Scores:
        """Return the index of the set at `place` with every set of the list, itself included; in [0, 1]."""
        held = np.zeros(self._vocabulary)
        held[self._tokens[self._starts[place] : self._starts[place + 1]]] = 1.0
        shared = np.bincount(self._owners, weights=held[self._tokens], minlength=len(self._sizes))
        union = self._sizes + self._sizes[place] - shared
        index: Scores = shared / np.maximum(union, 1.0)
        return index
