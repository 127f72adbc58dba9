"""Edges between memories of different scopes, which older versions made."""

from __future__ import annotations

from collections.abc import Iterator

from combray.audit.verb import doing
from combray.language.scopes import scope_set
from combray.runtime import Filter, Reader, Runtime
from combray.types import SCOPED_EDGES, STATUSES, TRUSTS, Edge


def count_crossing(runtime: Runtime) -> int:
    """Return how many edges of the store join two scopes."""
    store = runtime.store
    return sum(len(_crossing(store.reader(name))) for name in store.namespaces())


def remove_crossing(runtime: Runtime) -> int:
    """Remove these edges, with a line in the log and the audit for each namespace. Return how many."""
    removed = 0
    for namespace in runtime.store.namespaces():
        if not _crossing(runtime.store.reader(namespace)):
            continue
        with doing("repair"), runtime.store.transaction(namespace) as tx:
            edges = _crossing(tx)
            keys = tx.keys_of(sorted({end for edge in edges for end in (edge.source, edge.target)}))
            for edge in edges:
                tx.unlink(keys[edge.source], keys[edge.target], edge.type)
            tx.note("repair", "", f"{len(edges)} edges between scopes removed", runtime.clock())
        removed += len(edges)
    return removed


def _crossing(reader: Reader) -> list[Edge]:
    scoped = dict(_scoped(reader))
    if not scoped:
        return []
    edges = reader.edges(SCOPED_EDGES)
    return [edge for edge in edges if scoped.get(edge.source, ()) != scoped.get(edge.target, ())]


def _scoped(reader: Reader) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield id and scope of the memories outside the global scope, of any status."""
    every = Filter(statuses=STATUSES, trusts=TRUSTS)
    world = set(reader.scan(Filter(statuses=STATUSES, trusts=TRUSTS, within=())).tolist())
    for memory in reader.memories([key for key in reader.scan(every).tolist() if key not in world]):
        yield memory.id, scope_set(memory.tags)
