"""How far the turns of a session are each other's context: short ones fully, long ones hardly.

Taken from the session's mean, not from each turn: damping by a turn's own words cost 2.5 points of
recall@10 on LoCoMo, damping by the mean none (bench/results/quality.md).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from combray.scoring.neighbours import Slots

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Turns:
    """How many turns each session has, and words in all; places are session codes."""

    count: NDArray[np.int64]
    words: NDArray[np.int64]


def turns(session: NDArray[np.integer], words: NDArray[np.integer]) -> Turns:
    """Count the rows of each session and their words; rows of code -1 have none."""
    inside = session >= 0
    # Sums of whole numbers below 2**53 are exact in float64.
    total = np.bincount(session[inside], words[inside])
    return Turns(np.bincount(session[inside]), total.astype(np.int64))


def plus(one: Turns, other: Turns) -> Turns:
    """The turns of both."""
    sessions = max(len(one.count), len(other.count))
    count, words = np.zeros(sessions, dtype=np.int64), np.zeros(sessions, dtype=np.int64)
    for each in (one, other):
        count[: len(each.count)] += each.count
        words[: len(each.words)] += each.words
    return Turns(count, words)


def gains(session: NDArray[np.integer], words: NDArray[np.integer], of: Turns, rows: Slots, limit: int) -> Floats:
    """min(1, (limit / mean words of the row's session)^2) for the given rows; 1 everywhere for limit 0.

    A row without session is a session of its own.
    """
    if limit <= 0:
        return np.ones(len(rows))
    codes = session[rows]
    mean = words[rows].astype(np.float64)
    inside = codes >= 0
    mean[inside] = of.words[codes[inside]] / of.count[codes[inside]]
    result: Floats = np.minimum(1.0, (limit / np.maximum(mean, 1.0)) ** 2)
    return result
