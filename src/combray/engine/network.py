"""The graph of memories with positions."""

from __future__ import annotations

import hashlib
import zlib
from collections import OrderedDict
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from combray.engine.namespace import Namespace
from combray.picture import shortened
from combray.records import dataclass
from combray.runtime import Filter, Keys, Link, Reader
from combray.scoring.layout import Points, layout
from combray.types import EDGE_TYPES

LABEL = 100
_KEPT = 8
_DECIMALS = 4
_positions: OrderedDict[bytes, Points] = OrderedDict()
"""Layouts by the digest of their graph, the last ones used: they hold no text, and never go stale."""
_lock = Lock()


@dataclass(frozen=True, slots=True)
class GraphRequest:
    """What a graph is asked for, checked."""

    start: str
    depth: int
    types: tuple[str, ...]
    min_weight: float
    strongest: int
    limit: int


@dataclass(frozen=True, slots=True)
class Network:
    """Memories and typed edges as columns: the values at one place belong to one memory, or to one edge.

    `x` and `y` are in the unit circle; equal memories and edges have equal positions. `steps` is the distance
    from the memory that was asked for, 0 without one. `sources` and `targets` are places of memories. `types`
    are places in `type_names`. `moments` are unix seconds.
    """

    ids: list[str]
    labels: list[str]
    kinds: list[str]
    categories: list[str]
    statuses: list[str]
    moments: list[float]
    steps: list[int]
    x: list[float]
    y: list[float]
    sources: list[int]
    targets: list[int]
    types: list[int]
    weights: list[float]
    subtypes: list[str]
    type_names: list[str]
    nodes_left_out: int
    edges_left_out: int


def network(at: Namespace, wanted: GraphRequest, where: Filter) -> Network:
    """Return the graph, as `Views.graph` describes."""
    start = at.key_of(wanted.start) if wanted.start else None
    with at.runtime.store.view(at.namespace) as reader:
        return _drawn(reader, start, wanted, where)


def _drawn(reader: Reader, start: int | None, wanted: GraphRequest, where: Filter) -> Network:
    if start is not None:
        keys, steps, left_out = _around(reader, start, wanted, where)
    else:
        every = reader.scan(where)
        keys = np.sort(every[max(len(every) - wanted.limit, 0) :])
        steps, left_out = np.zeros(len(keys), dtype=np.int64), len(every) - len(keys)
    memories = reader.memories(keys.tolist())
    links = _between(reader.links(keys.tolist(), wanted.types), keys, wanted.min_weight)
    ends = np.searchsorted(keys, np.array([(each.source, each.target) for each in links], dtype=np.int64))
    ends = ends.reshape(-1, 2)
    weights = np.array([each.weight for each in links])
    codes = np.array([EDGE_TYPES.index(each.type) for each in links], dtype=np.int64)
    kept = strongest_edges(ends, codes, weights, wanted.strongest)
    ends, weights, codes = ends[kept], weights[kept], codes[kept]
    points = np.round(_placed([each.id for each in memories], ends, weights), _DECIMALS)
    return Network(
        ids=[each.id for each in memories],
        labels=[shortened(each.content, LABEL) for each in memories],
        kinds=[each.kind for each in memories],
        categories=[each.category for each in memories],
        statuses=[each.status for each in memories],
        moments=[each.moment.timestamp() for each in memories],
        steps=steps.tolist(),
        x=points[:, 0].tolist(),
        y=points[:, 1].tolist(),
        sources=ends[:, 0].tolist(),
        targets=ends[:, 1].tolist(),
        types=codes.tolist(),
        weights=np.round(weights, 3).tolist(),
        subtypes=[links[place].subtype for place in kept.tolist()],
        type_names=list(EDGE_TYPES),
        nodes_left_out=left_out,
        edges_left_out=len(links) - len(kept),
    )


def _around(
    reader: Reader, start: int, wanted: GraphRequest, where: Filter
) -> tuple[Keys, NDArray[np.int64], int]:
    """Return the keys around one, ascending, their steps from it, and how many were left out.

    Where the limit cuts a step, the strongest edges decide who stays."""
    if not reader.eligible(np.array([start]), where)[0]:
        return np.zeros(0, np.int64), np.zeros(0, np.int64), 0
    found, frontier, left_out = {start: 0}, [start], 0
    for step in range(1, wanted.depth + 1):
        reached: dict[int, float] = {}
        for each in reader.links(frontier, wanted.types):
            for end in (each.source, each.target):
                if end not in found and each.weight >= wanted.min_weight:
                    reached[end] = max(each.weight, reached.get(end, 0.0))
        ends = np.array(sorted(reached, key=lambda key: (-reached[key], key)), dtype=np.int64)
        ends = ends[reader.eligible(ends, where)]
        room = wanted.limit - len(found)
        left_out += max(len(ends) - room, 0)
        frontier = ends[:room].tolist()
        found |= dict.fromkeys(frontier, step)
        if not frontier:
            break
    keys = np.array(sorted(found), dtype=np.int64)
    return keys, np.array([found[key] for key in keys.tolist()], dtype=np.int64), left_out


def _between(links: list[Link], keys: Keys, least: float) -> list[Link]:
    known = set(keys.tolist())
    return [each for each in links if each.weight >= least and each.source in known and each.target in known]


def strongest_edges(
    ends: NDArray[np.int64], codes: NDArray[np.int64], weights: Points, most: int
) -> NDArray[np.int64]:
    """Return the places of the edges that are among the `most` strongest of their type at either end."""
    kept = np.zeros(len(ends), dtype=np.bool_)
    # An edge counts at both of its ends.
    group = ends.T.ravel() * len(EDGE_TYPES) + np.tile(codes, 2)
    order = np.lexsort((-np.tile(weights, 2), group))
    group = group[order]
    rank = np.arange(len(group)) - np.searchsorted(group, group)
    kept[order[rank < most] % max(len(ends), 1)] = True
    return np.flatnonzero(kept)


def _placed(ids: list[str], ends: NDArray[np.int64], weights: Points) -> Points:
    digest = hashlib.blake2b("\n".join(ids).encode() + ends.tobytes() + weights.tobytes()).digest()
    with _lock:
        if digest in _positions:
            _positions.move_to_end(digest)
            return _positions[digest]
    seeds = np.array([zlib.crc32(each.encode()) for each in ids], dtype=np.uint64)
    points = layout(seeds, ends[:, 0], ends[:, 1], weights)
    with _lock:
        _positions[digest] = points
        while len(_positions) > _KEPT:
            _positions.popitem(last=False)
    return points
