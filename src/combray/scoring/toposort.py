"""Topological sort with a ready queue ordered by rank.

Source: Kahn, "Topological sorting of large networks", Communications of the ACM 5 (1962),
https://doi.org/10.1145/368996.369025.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from itertools import groupby


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
    """Kahn's algorithm over the edges among these nodes."""
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
