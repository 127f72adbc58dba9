"""Walks in the graph of memories."""

from __future__ import annotations

from typing import Any

from combray.engine.namespace import Namespace
from combray.language.scopes import scope_set
from combray.records import dataclass
from combray.types import GRAPH_EDGES, EdgeType, Memory, Remembered


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


Edges = tuple[tuple[str, float, str], ...]
_SHOWN = ("active", "pending_embed", "superseded")


def related(at: Namespace, memory_id: str, type: EdgeType | None, depth: int) -> list[Related]:
    """Return the memories within `depth` steps, as `Engine.related` describes."""
    start = at.key_of(memory_id)
    reader = at.reader
    scope = scope_set(reader.memories([start])[0].tags)
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
    return [
        _neighbour(memories[key], *found[key])
        for key in keys
        if memories[key].status in _SHOWN and memories[key].trust in at.trusts
    ]


def _neighbour(memory: Memory, depth: int, edges: Edges) -> Related:
    via, weight, _ = edges[0]
    return Related(
        memory, depth, via, weight, tuple(each[:2] for each in edges), tuple(each[2] for each in edges)
    )


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
