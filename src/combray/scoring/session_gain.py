"""Session gain: the weight of context expansion in a session, 1 for short turns and near 0 for long ones.

Computed from the mean length of the session's turns: damping by a turn's own length cost 2.5 points of
recall@10 on LoCoMo, damping by the mean none (bench/results/quality.md).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from combray.records import dataclass
from combray.scoring.neighbours import Slots

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Turns:
    """Number of turns and of words of each session, by session code."""

    count: NDArray[np.int64]
    words: NDArray[np.int64]


def turns(session: NDArray[np.integer], words: NDArray[np.integer]) -> Turns:
    """Return the number of rows of each session and of their words; rows of code -1 have no session."""
    inside = session >= 0
    # Sums of whole numbers below 2**53 are exact in float64.
    total = np.bincount(session[inside], words[inside])
    return Turns(np.bincount(session[inside]), total.astype(np.int64))


def plus(one: Turns, other: Turns) -> Turns:
    """Return the sum of both."""
    sessions = max(len(one.count), len(other.count))
    count, words = np.zeros(sessions, dtype=np.int64), np.zeros(sessions, dtype=np.int64)
    for each in (one, other):
        count[: len(each.count)] += each.count
        words[: len(each.words)] += each.words
    return Turns(count, words)


def gain_of(mean: Floats, limit: int) -> Floats:
    """Return min(1, (limit / mean words)^2); all 1 for limit 0."""
    if limit <= 0:
        return np.ones(len(mean))
    result: Floats = np.minimum(1.0, (limit / np.maximum(mean, 1.0)) ** 2)
    return result


def gains(session: NDArray[np.integer], words: NDArray[np.integer], of: Turns, rows: Slots, limit: int) -> Floats:
    """Return the gains of the sessions of the given rows. A row without session is a session of its own."""
    codes = session[rows]
    mean = words[rows].astype(np.float64)
    inside = codes >= 0
    mean[inside] = of.words[codes[inside]] / of.count[codes[inside]]
    return gain_of(mean, limit)
