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
