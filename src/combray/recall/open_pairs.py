"""Open `may_revise` edges to memories, and where the chains of superseded memories end."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from combray.recall.state import Recalling
from combray.runtime import Link

_LONGEST_CHAIN = 64


def open_revisions(state: Recalling, keys: Sequence[int], least: float) -> list[Link]:
    """Return the open `may_revise` edges to the memories from later ones that the filters let through.

    An edge from a later one that is superseded is one from the end of its chain, unless that pair is settled.
    `restates` edges are read along, for `Assemble`: a server is asked once.
    """
    if not keys:
        return []
    read = state.reader.links_to(keys, ("may_revise", "restates"))
    found = [link for link in read if link.type == "may_revise"]
    state.restating |= {(link.target, link.source) for link in read if link.type == "restates"}
    state.linked.update(keys)
    links = [link for link in found if not link.subtype and link.weight >= least]
    if not links:
        return []
    sources = np.array(sorted({link.source for link in links}), dtype=np.int64)
    shown = set(sources[state.reader.eligible(sources, state.where)].tolist())
    if len(shown) == len(sources):
        return links
    heads = chain_heads(state, [key for key in sources.tolist() if key not in shown])
    known = {(link.source, link.target) for link in found}
    for link in links:
        head = heads.get(link.source, -1)
        if head >= 0 and head != link.target and (head, link.target) not in known:
            known.add((head, link.target))
            links = [*links, msgspec.structs.replace(link, source=head)]
            shown.add(head)
    return [link for link in links if link.source in shown]


def chain_heads(state: Recalling, keys: Sequence[int]) -> dict[int, int]:
    """Return the live memory at the end of each superseded memory's chain; -1 where it is not to be shown."""
    newer: dict[int, int] = {}
    frontier = list(keys)
    for _ in range(_LONGEST_CHAIN):
        if not frontier:
            break
        links = state.reader.links_to(frontier, ("supersedes",))
        found = {link.target: link.source for link in links}
        newer |= found
        frontier = sorted(set(found.values()) - newer.keys())
    ends: dict[int, int] = {}
    for key in keys:
        end, steps = key, 0
        while end in newer and steps < _LONGEST_CHAIN:
            end, steps = newer[end], steps + 1
        ends[key] = end
    every = np.array(sorted(set(ends.values())), dtype=np.int64)
    shown = set(every[state.reader.eligible(every, state.where)].tolist())
    return {key: end if end in shown else -1 for key, end in ends.items()}
