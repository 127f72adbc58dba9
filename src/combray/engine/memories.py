"""Memories by id: get, link, related, forget, restore, erase, history. `Engine` has these as verbs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from combray.audit.audited import audited
from combray.engine.namespace import Namespace
from combray.errors import InvalidInputError
from combray.runtime import Link
from combray.types import EDGE_TYPES, GRAPH_EDGES, Edge, EdgeType, Memory, Version
from combray.values import clean_text, one_of

_RELATED = ("active", "pending_embed", "superseded")


@dataclass(frozen=True, slots=True)
class Related:
    """A memory near another in the graph: how many steps away, and the type of edge that led there."""

    memory: Memory
    depth: int
    via: str
    weight: float


@audited("get")
def get(at: Namespace, memory_id: str) -> Memory:
    """Return the memory of an id."""
    return at.reader.memories([at.key_of(memory_id)])[0]


@audited("history")
def history(at: Namespace, memory_id: str) -> list[Version]:
    """Return every change of a memory, oldest first."""
    return at.reader.history(at.key_of(memory_id))


@audited("undo_merge", reads=False)
def undo_merge(at: Namespace, memory_id: str) -> Memory:
    """Bring one merged fact back."""
    from combray.consolidate.runs import undo_merge

    key = at.key_of(memory_id)
    with at.runtime.store.transaction(at.namespace) as tx:
        return undo_merge(tx, key, at.runtime.clock())


@audited("link", reads=False)
def link(
    at: Namespace, source: str, target: str, *, type: EdgeType, weight: float, subtype: str, reason: str
) -> Edge:
    """Link two memories by hand."""
    kind = one_of("type", type, EDGE_TYPES)
    if isinstance(weight, bool) or not isinstance(weight, (int, float)) or not 0.0 <= weight <= 1.0:
        raise InvalidInputError("weight", f"{weight!r} is out of range.", "Use 0 to 1.")
    clean_text("reason", reason, 2000)
    clean_text("subtype", subtype, 100)
    here, there = at.key_of(source), at.key_of(target)
    if here == there:
        raise InvalidInputError("target", "is the memory itself.", "Name another one.")
    now = at.runtime.clock()
    with at.runtime.store.transaction(at.namespace) as tx:
        ids = [memory.id for memory in tx.memories([here, there])]
        tx.link([Link(here, there, kind, float(weight), subtype, reason, "user")], now)
        tx.note("link", ids[0], f"{kind} to {ids[1]}", now)
    return Edge(
        source=ids[0],
        target=ids[1],
        type=kind,
        subtype=subtype,
        weight=float(weight),
        reason=reason,
        created_by="user",
        created_at=datetime.fromtimestamp(now, UTC),
    )


@audited("related")
def related(at: Namespace, memory_id: str, *, type: EdgeType | None, depth: int) -> list[Related]:
    """Return live memories near one in the graph."""
    if type is not None:
        one_of("type", type, EDGE_TYPES)
    if not isinstance(depth, int) or isinstance(depth, bool) or not 1 <= depth <= 10:
        raise InvalidInputError("depth", f"{depth!r} is out of range.", "Use 1 to 10.")
    start = at.key_of(memory_id)
    reader = at.reader
    found: dict[int, tuple[int, str, float]] = {}
    frontier = [start]
    for step in range(1, depth + 1):
        reached: dict[int, tuple[int, str, float]] = {}
        for each in reader.links(frontier, (type,) if type else GRAPH_EDGES):
            for end in (each.source, each.target):
                better = reached.get(end, (0, "", -1.0))[2] < each.weight
                if end != start and end not in found and better:
                    reached[end] = (step, each.type, each.weight)
        found.update(reached)
        frontier = sorted(reached)
    keys = sorted(found, key=lambda key: (found[key][0], -found[key][2], key))
    return [
        Related(memory, *found[key])
        for key, memory in zip(keys, reader.memories(keys), strict=True)
        if memory.status in _RELATED and memory.trust in at.trusts
    ]
