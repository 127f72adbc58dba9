"""Posting lists as arrays: which memories hold a term in which index field."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from combray.runtime import KeywordArm
from combray.stores.snapshot import Snapshot

Codes = NDArray[np.int64]
"""key * 4 + index field, one per occurrence, ascending."""

Weighed = tuple[NDArray[np.int64], NDArray[np.float64]]
"""Slots of the memories with a term, ascending, and the sum of the weights of its fields in each."""

MOST_POSTINGS = 4_000_000
"""Maximum number of cached postings, 8 bytes each."""
_MIN_TERMS = 3


def weigh(codes: Codes, fields: tuple[float, ...], snapshot: Snapshot) -> Weighed:
    """Return a posting list with the field weights of an arm."""
    if not len(codes):
        return np.zeros(0, np.int64), np.zeros(0)
    keys = codes >> 2
    starts = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1])))
    frequencies = np.add.reduceat(np.array(fields)[codes & 3], starts)
    slots = snapshot.slots(keys[starts])
    # Memories newer than this snapshot, or of weight 0, do not count.
    inside = (slots >= 0) & (frequencies > 0)
    return slots[inside], frequencies[inside]


def affordable(terms: set[str], rows: int, arm: KeywordArm, holding: Callable[[str], int]) -> set[str]:
    """Return the rarest terms within the posting budget: the work is linear in the number of postings."""
    # Mode "all" needs the posting list of every term.
    if arm.mode == "all" or rows * len(terms) <= arm.posting_budget or len(terms) <= _MIN_TERMS:
        return terms
    counts = {term: holding(term) for term in terms}
    spent, chosen = 0, set[str]()
    for place, term in enumerate(sorted(terms, key=lambda each: (counts[each], each))):
        spent += counts[term]
        if place >= _MIN_TERMS and spent > arm.posting_budget:
            break
        chosen.add(term)
    return chosen


def read_together(terms: set[str], weighed: Callable[[str], Weighed]) -> dict[str, Weighed]:
    """Return the posting lists of terms of which only the memories with all of them count.

    As soon as no memory has all terms so far, no further list is read, and all are returned empty. Long words
    come first: they are rarer, and the list of a common word of a large store takes milliseconds to read.
    """
    lists: dict[str, Weighed] = {}
    together: NDArray[np.int64] | None = None
    for term in sorted(terms, key=lambda each: (-len(each), each)):
        slots, _ = lists[term] = weighed(term)
        together = slots if together is None else np.intersect1d(together, slots, assume_unique=True)
        if not len(together):
            return dict.fromkeys(terms, (together, np.zeros(0)))
    return lists


class WeighedLists:
    """Posting lists with the field weights of arms, at most `most` postings of 16 bytes each."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lists: dict[tuple[str, tuple[float, ...]], tuple[Weighed, int]] = {}
        """With the number of codes that have been weighed: added ones follow."""
        self._size = 0

    def clear(self) -> None:
        """Drop all lists."""
        self._lists, self._size = {}, 0

    def of(self, term: str, codes: Codes, fields: tuple[float, ...], snapshot: Snapshot) -> Weighed:
        """Return a term's posting list with the field weights of an arm. Read only."""
        found, upto = self._lists.get((term, fields), (None, 0))
        if found is not None and upto == len(codes):
            return found
        # The codes of one memory are appended together, so what is weighed ends with a memory.
        new = weigh(codes[upto:], fields, snapshot)
        slots, frequencies = new
        if found is not None:
            slots, frequencies = np.append(found[0], slots), np.append(found[1], frequencies)
        if self._size + len(new[0]) > self._most:
            self.clear()
        self._lists[term, fields] = (slots, frequencies), len(codes)
        self._size += len(new[0])
        return slots, frequencies
