"""Turns of sessions: the pointers to neighbouring turns, and the weight that context has in a session.

The session gain is 1 for short turns and near 0 for long ones. It is computed from the mean length of the
session's turns: damping by a turn's own length cost 2.5 points of recall@10 on LoCoMo, damping by the mean none
(bench/results/quality.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from combray.records import dataclass
from combray.scoring.ranking import ascending

Slots = NDArray[np.int64]

_MOST_SESSIONS = 16
"""Sessions among new rows above which all rows are sorted: that is no slower then."""


@dataclass(frozen=True, slots=True)
class Chain:
    """`previous[i]` and `next[i]` are the slots of the turns around slot i, -1 at the ends of a session."""

    previous: Slots
    next: Slots


def link(session: NDArray[np.integer], position: NDArray[np.int64]) -> Chain:
    """Return the pointers for rows with session codes (-1: none) and positions in the session; ties by slot."""
    count = len(session)
    previous = np.full(count, -1, dtype=np.int64)
    following = np.full(count, -1, dtype=np.int64)
    inside = np.flatnonzero(session >= 0)
    order = inside[np.lexsort((inside, position[inside], session[inside]))]
    adjacent = np.flatnonzero(session[order[1:]] == session[order[:-1]])
    following[order[adjacent]] = order[adjacent + 1]
    previous[order[adjacent + 1]] = order[adjacent]
    return Chain(previous, following)


def extend(chain: Chain, session: NDArray[np.integer], position: NDArray[np.int64]) -> Chain:
    """Return `link` of all rows, without sorting the old ones if new turns come last."""
    old, count = len(chain.previous), len(session)
    fresh = session[old:]
    sessions = ascending(fresh[fresh >= 0].astype(np.int64))
    if len(sessions) > _MOST_SESSIONS:
        return link(session, position)
    unlinked = np.full(count - old, -1, dtype=np.int64)
    previous = np.concatenate((chain.previous, unlinked))
    following = np.concatenate((chain.next, unlinked))
    for each in sessions:
        turns = old + np.flatnonzero(fresh == each)
        turns = turns[np.lexsort((turns, position[turns]))]
        earlier = np.flatnonzero(session[:old] == each)
        if len(earlier):
            last = earlier[chain.next[earlier] < 0]
            if position[last[0]] > position[turns[0]]:
                return link(session, position)
            turns = np.concatenate((last, turns))
        following[turns[:-1]] = turns[1:]
        previous[turns[1:]] = turns[:-1]
    return Chain(previous, following)


def hop(pointers: Slots, start: Slots, distance: int) -> Slots:
    """Return the slots that many pointers away from those of `start`; -1 where the session ends before."""
    here = start
    for _ in range(distance):
        here = np.where(here >= 0, pointers[here], -1)
    return here


def around(chain: Chain, start: Slots, reach: int) -> Slots:
    """Return the slots of `start` and all up to `reach` turns before or after them, ascending."""
    found = [start]
    for pointers in (chain.previous, chain.next):
        found += [hop(pointers, start, distance) for distance in range(1, reach + 1)]
    every = ascending(np.concatenate(found))
    return every[every >= 0]


def steps(pointers: Slots, start: Slots, weights: Sequence[float]) -> Iterator[tuple[Slots, Slots, float]]:
    """Yield for each distance (places in `start` with such a neighbour, the neighbours' slots, the weight)."""
    places = np.arange(len(start), dtype=np.int64)
    here = start
    for weight in weights:
        here = pointers[here]
        there = here >= 0
        if not there.all():
            places, here = places[there], here[there]
        if not len(here):
            return
        yield places, here, weight


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
