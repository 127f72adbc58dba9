"""Repair the temporal backbone after an import: each memory of a source is linked to the next one in time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from combray.runtime import Filter, Link, Reader, Writer

SUBTYPE = "precedes"
"""Subtype of the link that `remember` makes to the latest memory of the same source."""


def sources_in_order(reader: Reader, sources: Iterable[str]) -> list[list[int]]:
    """Return the keys of each source's live memories, by moment."""
    every = (reader.scan(Filter(sources=(source,))) for source in sorted(set(sources)))
    return [[int(key) for key in keys] for keys in every]


def repair(tx: Writer, order: Sequence[int], arrived: set[int], at: float) -> None:
    """Link the arrived keys to their neighbours in `order`, and remove links that now skip one.

    Links between other memories are not changed.
    """
    place = {key: number for number, key in enumerate(order)}
    wanted = {(a, b) for a, b in pairwise(order) if a in arrived or b in arrived}
    stale = set()
    kept: list[Link] = []
    for link in tx.links(order, ["temporal"]):
        ends = link.source, link.target
        if link.source not in place or link.target not in place:
            continue
        if link.subtype == SUBTYPE and place[link.target] != place[link.source] + 1:
            low, high = sorted(place[end] for end in ends)
            if any(key in arrived for key in order[low : high + 1]):
                stale.add(ends)
        elif link.subtype != SUBTYPE:
            kept.append(link)
    for source, target in sorted(stale):
        tx.unlink(source, target, "temporal")
    # `unlink` removes every subtype, so links by closeness in time are restored.
    back = [link for link in kept if (link.source, link.target) in stale]
    tx.link([*back, *(Link(a, b, "temporal", 1.0, SUBTYPE) for a, b in sorted(wanted))], at)
