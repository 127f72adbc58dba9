"""Topological sort with a ready queue ordered by rank.

Source: Kahn, "Topological sorting of large networks", Communications of the ACM 5 (1962),
https://doi.org/10.1145/368996.369025.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence


def causes_first(order: Sequence[int], edges: Iterable[tuple[int, int]]) -> list[int]:
    """Return the nodes with every cause before its effects; among the ready nodes the given order decides.

    `order` is best first; `edges` are (cause, effect). Nodes in a cycle follow in the given order.
    """
    place = {node: at for at, node in enumerate(order)}
    effects: dict[int, set[int]] = {node: set() for node in order}
    waiting = dict.fromkeys(order, 0)
    for cause, effect in edges:
        if cause in place and effect in place and cause != effect and effect not in effects[cause]:
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
