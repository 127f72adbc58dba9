"""BM25F over posting lists, with context expansion: a turn also scores for its neighbours' terms.

Term frequencies are weighted and summed over the fields first, then saturated once. Context expansion treats
the turns around a turn as further fields. It happens while scoring, so a new turn changes no stored row.

Source: Robertson, Zaragoza and Taylor, "Simple BM25 extension to multiple weighted fields", CIKM 2004,
https://doi.org/10.1145/1031171.1031181.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from combray.scoring.context_expansion import ContextExpansion
from combray.scoring.neighbours import Slots
from combray.scoring.scratch import Scratch, Sparse, distinct

Floats = NDArray[np.float64]


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
