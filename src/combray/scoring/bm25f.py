"""BM25F over posting lists, with each turn's words lent to its neighbours at lower weight.

Robertson, Zaragoza, Taylor: "Simple BM25 extension to multiple weighted fields", CIKM 2004: term
frequencies are weighted and summed over the fields first, then saturated once. Lending words to
neighbours treats the turns around a turn as further fields; it happens while scoring, so a new turn
changes no stored row.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from combray.scoring.lending import Lending
from combray.scoring.neighbours import Slots

Floats = NDArray[np.float64]

_SORTING = 64
"""Sorting a slot costs as much as looking through this many rows for what is not 0 (measured)."""


@dataclass(frozen=True, slots=True)
class Posting:
    """Where one term occurs: distinct slots, ascending, and the field-weighted frequency in each."""

    slots: Slots
    frequencies: Floats
    weight: float


def idf(rows: int, holding: int) -> float:
    """ln(1 + (N - n + 0.5) / (n + 0.5)): never negative, also for a term in most rows."""
    return math.log(1.0 + (rows - holding + 0.5) / (holding + 0.5))


def bm25f(
    postings: Sequence[Posting],
    rows: int,
    lengths: Floats,
    average: float,
    lending: Lending,
    k1: float,
    b: float,
) -> Floats:
    """Score of every row (0 without evidence).

    `lengths` are lent as the frequencies are, one a row; `rows` is how many of the rows count, and `average`
    the mean length of those.
    """
    scores = np.zeros(len(lengths))
    frequency = np.zeros(len(lengths))
    for posting in postings:
        touched = lending.spread(posting.slots, posting.frequencies, frequency)
        at = _distinct(touched, frequency)
        found = frequency[at]
        gain = posting.weight * idf(rows, len(posting.slots)) * (k1 + 1.0)
        norm = k1 * (1.0 - b + b * lengths[at] / max(average, 1e-9))
        scores[at] += gain * found / (found + norm)
        frequency[at] = 0.0
    return scores


def best_possible(postings: Sequence[Posting], rows: int, k1: float) -> float:
    """What a row with endless occurrences of every term would score: the sum of weight, idf and k1 + 1."""
    return sum(each.weight * idf(rows, len(each.slots)) * (k1 + 1.0) for each in postings)


def _distinct(touched: Sequence[Slots], frequency: Floats) -> Slots:
    """Slots touched at least once: sorted out of the lists, or read off the rows when those are shorter."""
    if len(touched) == 1:
        return touched[0]
    if _SORTING * sum(len(each) for each in touched) < len(frequency):
        distinct: Slots = np.unique(np.concatenate(touched))
        return distinct[frequency[distinct] > 0]
    return np.flatnonzero(frequency)


def coverage(postings: Sequence[Posting], rows: int, terms: int) -> Floats:
    """Share of the query's `terms` that each row holds: token_intersection / query_token_count."""
    scores = np.zeros(rows)
    for posting in postings:
        scores[posting.slots] += 1.0
    return scores / max(terms, 1)
