"""The graph of memories: the neighbours of one, and memories and edges with positions.

What places them is imported when a graph is drawn: the shell and the MCP server import this file for `remember`.
"""

from __future__ import annotations

import hashlib
import zlib
from collections import OrderedDict
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from combray.engine.namespace import Namespace
from combray.language.scopes import scope_set
from combray.records import dataclass
from combray.runtime import Filter, Keys, Reader
from combray.types import EDGE_TYPES, GRAPH_EDGES, EdgeType, Memory, Remembered

if TYPE_CHECKING:
    from combray.scoring.layout import Points

LABEL = 100
Edges = tuple[tuple[str, float, str], ...]
_SHOWN = ("active", "pending_embed", "superseded")
_KEPT = 8
_DECIMALS = 4
_positions: OrderedDict[bytes, Points] = OrderedDict()
"""Layouts by the digest of their graph, the last ones used: they hold no text, and never go stale."""
_lock = Lock()


@dataclass(frozen=True, slots=True)
class Related:
    """A memory near another in the graph: how many steps away, and the strongest edge that led there."""

    memory: Memory
    depth: int
    via: str
    weight: float
    edges: tuple[tuple[str, float], ...] = ()
    """Type and weight of every edge that leads to it in that step, strongest first."""
    subtypes: tuple[str, ...] = ()
    """The sub-type of each of these edges ("causes"), "" for one without."""


def related(at: Namespace, memory_id: str, type: EdgeType | None, depth: int) -> list[Related]:
    """Return the memories within `depth` steps, as `Engine.related` describes."""
    start, memory = at.memory_of(memory_id)
    reader, scope = at.reader, scope_set(memory.tags)
    found: dict[int, tuple[int, Edges]] = {}
    memories: dict[int, Memory] = {}
    frontier = [start]
    for step in range(1, depth + 1):
        reached: dict[int, list[tuple[str, float, str]]] = {}
        for each in reader.links(frontier, (type,) if type else GRAPH_EDGES):
            for end in (each.source, each.target):
                if end != start and end not in found:
                    reached.setdefault(end, []).append((each.type, each.weight, each.subtype))
        ends = sorted(reached)
        inside = zip(ends, reader.memories(ends), strict=True)
        memories |= {end: memory for end, memory in inside if scope_set(memory.tags) == scope}
        frontier = [end for end in ends if end in memories]
        for end in frontier:
            found[end] = step, tuple(sorted(reached[end], key=lambda edge: (-edge[1], edge[0], edge[2])))
    keys = sorted(found, key=lambda key: (found[key][0], -found[key][1][0][1], key))
    shown = []
    for key in keys:
        memory, (away, edges) = memories[key], found[key]
        if memory.status in _SHOWN and memory.trust in at.trusts:
            typed, subtypes = tuple(each[:2] for each in edges), tuple(each[2] for each in edges)
            shown.append(Related(memory, away, *typed[0], typed, subtypes))
    return shown


def worth_linking(done: Remembered) -> list[dict[str, Any]]:
    """Return the candidates to show with a new memory, semantic ones first, each memory once.

    Without those that are linked, or that it may change, which the caller is asked about anyway. A causal
    candidate is any memory near in time: shown are those that a signal word and a word in common speak for.
    """
    causal = [each for each in done.causal_candidates if each["causal_signal"] and each["overlap"]]
    omitted = {each.id for each in done.may_revise}
    omitted |= {each["id"] for each in done.semantic_candidates if each.get("auto_linked")}
    found: dict[str, dict[str, Any]] = {}
    for each in (*done.semantic_candidates, *causal):
        if each["id"] not in omitted:
            found.setdefault(each["id"], each)
    return list(found.values())


# -- memories and edges with positions ---------------------------------------------------------------


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
    from combray.picture import shortened

    if start is not None:
        keys, steps, left_out = _around(reader, start, wanted, where)
    else:
        every = reader.scan(where)
        keys = np.sort(every[max(len(every) - wanted.limit, 0) :])
        steps, left_out = np.zeros(len(keys), dtype=np.int64), len(every) - len(keys)
    memories = reader.memories(keys.tolist())
    known = set(keys.tolist())
    links = [
        each
        for each in reader.links(keys.tolist(), wanted.types)
        if each.weight >= wanted.min_weight and known.issuperset((each.source, each.target))
    ]
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
    from combray.scoring.layout import layout

    seeds = np.array([zlib.crc32(each.encode()) for each in ids], dtype=np.uint64)
    points = layout(seeds, ends[:, 0], ends[:, 1], weights)
    with _lock:
        _positions[digest] = points
        while len(_positions) > _KEPT:
            _positions.popitem(last=False)
    return points
