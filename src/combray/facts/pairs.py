"""Open `may_revise` edges to memories, and where the chains of outdated memories end."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from combray.forms.recalling import Recalling
from combray.runtime import Link
from combray.types import STATUSES

CALLER = "user"
"""`created_by` of a pair that a caller linked or left open."""
_LONGEST_CHAIN = 64
_MERGED = STATUSES.index("merged")


def open_revisions(state: Recalling, keys: Sequence[int], least: float) -> list[Link]:
    """Return the open `may_revise` edges to the memories from later ones that the filters let through.

    An edge from a later one that is superseded is one from the end of its chain, unless that pair is settled.
    `restates` edges are read along, for `Assemble`: a server is asked once.
    """
    if not keys:
        return []
    read = state.reader.links_to(keys, ("may_revise", "restates"))
    found = [link for link in read if link.type == "may_revise"]
    state.edges.restating |= {(link.target, link.source) for link in read if link.type == "restates"}
    state.edges.linked.update(keys)
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
    """Return the live memory at the end of the chain of each memory that was superseded or merged; -1 for none.

    -1 stands for an end that is not to be shown. With `as_of` a chain ends in what had replaced it by then.
    """
    newer: dict[int, int] = {}
    frontier = list(keys)
    for _ in range(_LONGEST_CHAIN):
        if not frontier:
            break
        found = _replaced_by(state, frontier)
        newer |= found
        frontier = sorted(set(found.values()) - newer.keys())
    chains: dict[int, list[int]] = {}
    for key in keys:
        chain = [key]
        while chain[-1] in newer and len(chain) <= _LONGEST_CHAIN:
            chain.append(newer[chain[-1]])
        chains[key] = chain if state.where.as_of is not None else chain[-1:]
    every = np.array(sorted({each for chain in chains.values() for each in chain}), dtype=np.int64)
    shown = set(every[state.reader.eligible(every, state.where)].tolist())
    return {key: next((each for each in reversed(chain) if each in shown), -1) for key, chain in chains.items()}


def _replaced_by(state: Recalling, keys: Sequence[int]) -> dict[int, int]:
    """Return the memory that superseded each of the keys, or that it was merged into."""
    reader = state.reader
    found = {link.target: link.source for link in reader.links_to(keys, ("supersedes",))}
    every = np.array(keys, dtype=np.int64)
    merged = every[reader.rows(every).status == _MERGED].tolist()
    if merged:
        into = {key: memory.merged_into for key, memory in zip(merged, reader.memories(merged), strict=True)}
        known = reader.keys_of([each for each in into.values() if each])
        found |= {key: known[winner] for key, winner in into.items() if winner in known}
    return found
