"""Kahn's topological sort with a ready queue ordered by score."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence


def causes_first(order: Sequence[int], edges: Iterable[tuple[int, int]]) -> list[int]:
    """Nodes so that every cause stands before its effects; among the ready, the given order decides.

    `order` is best first; `edges` are (cause, effect). What is left in a cycle follows in the given order.
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
