"""The keyword index: how often each index field of a memory holds a term, packed into one number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from combray.language.indexing import IndexEntry

BITS = 15
"""Bits of the count of one field."""
MOST = 2**BITS - 1


def held(entry: IndexEntry) -> dict[str, int]:
    """Return how often each index field holds each term of a memory, as the column `held` packs it."""
    packed: dict[str, int] = {}
    for field, terms in enumerate(entry.fields):
        for term, count in Counter(terms).items():
            packed[term] = packed.get(term, 0) | min(count, MOST) << BITS * field
    return packed


def rows_of(entries: Sequence[tuple[int, IndexEntry]]) -> list[tuple[str, int, int]]:
    """Return terms, keys and packed counts of memories."""
    return [(term, key, packed) for key, entry in entries for term, packed in held(entry).items()]
