"""Arrays of scores: lent arrays of zeros, a deterministic order, fusion, diversity and causes before effects."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby

import msgspec
import numpy as np
from numpy.typing import NDArray

from combray.runtime import Keys, Ranked, Scores

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]

_MOST_KEPT = 8
"""Arrays that are kept for the next search."""
_SORTING = 64
"""Rows that can be scanned for non-zero values in the time it takes to sort one slot (measured)."""


def ascending(values: Indices) -> Indices:
    """Return the distinct values, ascending, as `np.unique` does, which loads `numpy.ma` on its first call."""
    ordered = np.sort(values)
    if len(ordered) < 2:
        return ordered
    first = np.empty(len(ordered), dtype=np.bool_)
    first[0] = True
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    result: Indices = ordered[first]
    return result


class Scratch:
    """Arrays of zeros, one value per row. Threads may share it: an array is lent to one of them at a time.

    Fresh memory is slow to touch: half a microsecond a page, and postings are spread over all pages.
    """

    def __init__(self) -> None:
        self._idle: list[Floats] = []

    def lend(self, rows: int) -> Floats:
        """Return an array of zeros, one per row."""
        try:
            array = self._idle.pop()
        except IndexError:
            array = np.zeros(0)
        if len(array) < rows:
            array = np.zeros(rows + rows // 8 + 1024)
        return array[:rows]

    def take_back(self, array: Floats, touched: Indices) -> None:
        """Take back a lent array that is zero but for the slots touched."""
        array[touched] = 0.0
        if len(self._idle) < _MOST_KEPT:
            self._idle.append(array if array.base is None else array.base)


class Sparse(msgspec.Struct, frozen=True):
    """Scores of few rows: `scores` is a lent array, zero but for the `touched` slots, which are distinct."""

    scores: Floats
    touched: Indices


def distinct(touched: Sequence[Indices], values: Floats) -> Indices:
    """Return the slots touched at least once, ascending, by sorting the lists or scanning the values."""
    if len(touched) == 1:
        return touched[0]
    if _SORTING * sum(len(each) for each in touched) < len(values):
        found = ascending(np.concatenate(touched))
        return found[values[found] > 0]
    return np.flatnonzero(values)


DECIMALS = 6
"""Decimals that scores are rounded to before ranking, so that the order of float additions on another machine
cannot change an answer."""


def ranked(keys: Keys, scores: Scores, limit: int) -> Ranked:
    """Return the best `limit` keys with positive scores, best first, ties by ascending key."""
    if limit <= 0:
        return Ranked(np.zeros(0, dtype=np.int64), np.zeros(0))
    places = np.flatnonzero(scores > 0)
    if len(places) > limit:
        cut = np.partition(scores[places], len(places) - limit)[len(places) - limit]
        places = places[scores[places] >= cut]
    order = np.lexsort((keys[places], -scores[places]))[:limit]
    return Ranked(keys[places[order]], scores[places[order]])


def minmax(scores: Scores) -> Scores:
    """Return (s - min) / (max - min); all 0 if every score is the same."""
    if not len(scores):
        return scores
    low, high = float(scores.min()), float(scores.max())
    if high <= low:
        return np.zeros(len(scores))
    scaled: Scores = (scores - low) / (high - low)
    return scaled


def reciprocal_rank_fusion(keys: Keys, lists: Sequence[Ranked], k: int = 60, *, tied: bool = False) -> Scores:
    """Return the sum over the lists of 1 / (k + rank + 1), rank from 0, for each of the ascending `keys`.

    With `tied`, equal scores in a list have the rank of the first of them.

    Source: Cormack, Clarke and Büttcher, "Reciprocal rank fusion outperforms Condorcet and individual rank
    learning methods", SIGIR 2009, https://doi.org/10.1145/1571941.1572114.
    """
    fused = np.zeros(len(keys))
    for ranked in lists:
        places = np.searchsorted(keys, ranked.keys)
        ranks = np.searchsorted(-ranked.scores, -ranked.scores) if tied else np.arange(len(ranked.keys))
        fused[places] += 1.0 / (k + ranks + 1.0)
    return fused


def marginal_order(relevance: Scores, similar_to: Callable[[int], Scores], trade_off: float) -> NDArray[np.int64]:
    """Return all places in the order in which maximal marginal relevance chooses them.

    The next place has the highest trade_off · relevance - (1 - trade_off) · greatest similarity to the places
    chosen already; the first of equals. Relevance, similarity and `trade_off` are in [0, 1].
    `similar_to(place)` gives a place's similarity to every place.

    Source: Carbonell and Goldstein, "The use of MMR, diversity-based reranking for reordering documents and
    producing summaries", SIGIR 1998, https://doi.org/10.1145/290941.291025.
    """
    left = np.ones(len(relevance), dtype=bool)
    nearest = np.zeros(len(relevance))
    order = np.zeros(len(relevance), dtype=np.int64)
    for rank in range(len(relevance)):
        gain = np.round(trade_off * relevance - (1.0 - trade_off) * nearest, DECIMALS)
        chosen = int(np.argmax(np.where(left, gain, -np.inf)))
        order[rank] = chosen
        left[chosen] = False
        if left.any():
            nearest = np.maximum(nearest, similar_to(chosen))
    return order


def causes_first(order: Sequence[int], edges: Iterable[tuple[int, int]]) -> list[int]:
    """Return the nodes with causes before their effects, as far as no node passes one that is not joined to it.

    `order` is best first; `edges` are (cause, effect). Two nodes are joined if edges among the nodes connect
    them, whatever their direction. Each run of joined nodes side by side is sorted; runs stay where they are.
    Among the ready nodes the given order decides, and nodes in a cycle follow in the given order.
    """
    known = set(order)
    pairs = {(cause, effect) for cause, effect in edges if cause != effect and {cause, effect} <= known}
    component = _components(order, pairs)
    runs = [list(run) for _, run in groupby(order, key=component.__getitem__)]
    return [node for run in runs for node in _sorted(run, pairs)]


def _components(order: Sequence[int], pairs: Iterable[tuple[int, int]]) -> dict[int, int]:
    """For each node the representative of what edges connect it to."""
    parent = {node: node for node in order}

    def root(node: int) -> int:
        while parent[node] != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    for cause, effect in pairs:
        parent[root(cause)] = root(effect)
    return {node: root(node) for node in order}


def _sorted(order: Sequence[int], edges: Iterable[tuple[int, int]]) -> list[int]:
    """Kahn's algorithm over the edges among these nodes, with a ready queue ordered by rank.

    Source: Kahn, "Topological sorting of large networks", Communications of the ACM 5 (1962),
    https://doi.org/10.1145/368996.369025.
    """
    place = {node: at for at, node in enumerate(order)}
    effects: dict[int, set[int]] = {node: set() for node in order}
    waiting = dict.fromkeys(order, 0)
    for cause, effect in edges:
        if cause in place and effect in place:
            effects[cause].add(effect)
            waiting[effect] += 1
    ready = [place[node] for node in order if not waiting[node]]
    heapq.heapify(ready)
    done: list[int] = []
    while ready:
        node = order[heapq.heappop(ready)]
        done.append(node)
        for effect in effects[node]:
            waiting[effect] -= 1
            if not waiting[effect]:
                heapq.heappush(ready, place[effect])
    finished = set(done)
    return done + [node for node in order if node not in finished]
