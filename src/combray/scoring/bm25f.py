"""BM25F over posting lists, with context expansion: a turn also scores for its neighbours' terms.

Term frequencies are weighted and summed over the fields first, then saturated once. Context expansion treats
the turns around a turn as further fields. It happens while scoring, so a new turn changes no stored row.

Source: Robertson, Zaragoza and Taylor, "Simple BM25 extension to multiple weighted fields", CIKM 2004,
https://doi.org/10.1145/1031171.1031181.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from combray.scoring.context_expansion import ContextExpansion
from combray.scoring.neighbours import Slots

Floats = NDArray[np.float64]

_SORTING = 64
"""Rows that can be scanned for non-zero values in the time it takes to sort one slot (measured)."""


@dataclass(frozen=True, slots=True)
class Posting:
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
    lengths: Floats,
    average: float,
    expansion: ContextExpansion,
    k1: float,
    b: float,
) -> Floats:
    """Return the score of every row, 0 without a match.

    `lengths`, one per row, are expanded as the frequencies are; `rows` is the number of rows that count, and
    `average` their mean length.
    """
    scores = np.zeros(len(lengths))
    frequency = np.zeros(len(lengths))
    for posting in postings:
        touched = expansion.spread(posting.slots, posting.frequencies, frequency)
        at = _distinct(touched, frequency)
        found = frequency[at]
        gain = posting.weight * idf(rows, len(posting.slots)) * (k1 + 1.0)
        norm = k1 * (1.0 - b + b * lengths[at] / max(average, 1e-9))
        scores[at] += gain * found / (found + norm)
        frequency[at] = 0.0
    return scores


def best_possible(postings: Sequence[Posting], rows: int, k1: float, strongest: int = 0) -> float:
    """Return the upper bound of the score: the sum of weight · idf · (k1 + 1) over the terms.

    `strongest`: only this many terms count, those with the highest bounds; 0 for all.
    """
    bounds = sorted((each.weight * idf(rows, len(each.slots)) * (k1 + 1.0) for each in postings), reverse=True)
    return sum(bounds[:strongest] if strongest else bounds)


def _distinct(touched: Sequence[Slots], frequency: Floats) -> Slots:
    """Return the slots touched at least once, by sorting the lists or scanning the rows."""
    if len(touched) == 1:
        return touched[0]
    if _SORTING * sum(len(each) for each in touched) < len(frequency):
        distinct: Slots = np.unique(np.concatenate(touched))
        return distinct[frequency[distinct] > 0]
    return np.flatnonzero(frequency)


def coverage(postings: Sequence[Posting], rows: int, terms: int) -> Floats:
    """Return the share of the query's `terms` that each row holds."""
    scores = np.zeros(rows)
    for posting in postings:
        scores[posting.slots] += 1.0
    return scores / max(terms, 1)
