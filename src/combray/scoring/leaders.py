"""Clusters around leaders: near in one step, never through a chain of others.

Connected components put A and C together because B is near both, however far A is from C; with many texts
everything ends in one heap. Here each member is near its leader itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable


def clusters_by_leader(
    count: int, near: Callable[[int], Iterable[int]], joins: Callable[[int, int], bool]
) -> list[list[int]]:
    """Groups of places 0..count-1 of more than one member, leader first.

    Places are in order of rank: 0 leads before 1. Each place that joined nobody leads, and takes those of
    the lower-ranked places near it that still stand alone and may join it. The result depends on the ranks
    alone, not on the order in which pairs are found. `near` is asked once for each leader, in ascending
    order; `joins` gets (leader, member).
    """
    taken = [False] * count
    groups = []
    for leader in range(count):
        if taken[leader]:
            continue
        members = sorted({place for place in near(leader) if place > leader and not taken[place]})
        group = [leader, *(place for place in members if joins(leader, place))]
        for place in group[1:]:
            taken[place] = True
        if len(group) > 1:
            groups.append(group)
    return groups
