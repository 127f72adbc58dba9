"""Neighbouring turns: rows of one session linked by previous and next pointers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from combray.records import dataclass
from combray.scoring.scratch import ascending

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
