"""Leader clustering: every member is near the leader of its cluster.

Connected components join A and C if B is near both, however far A is from C; with many texts everything ends in
one cluster. Source: Hartigan, "Clustering Algorithms", Wiley 1975, chapter 3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable


def clusters_by_leader(
    count: int, near: Callable[[int], Iterable[int]], joins: Callable[[int, int], bool]
) -> list[list[int]]:
    """Return groups of places 0..count-1 with more than one member, leader first.

    Places are in order of rank. Each place without a group leads one, and takes those of the lower-ranked
    places near it that have no group and may join. The result depends on the ranks alone, not on the order in
    which pairs are found. `near` is called once for each leader, in ascending order; `joins` gets (leader,
    member).
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
