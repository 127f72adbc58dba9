"""Import items of other tools: remember them oldest first, keep their dates, then link them.

The temporal backbone is repaired: each memory of a source and scope is linked to the next one in time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import cast

from combray.language.scopes import scope_set
from combray.records import dataclass, field, replace
from combray.runtime import Filter, Link, Reader, Rememberer, Writer
from combray.transfer.items import Item, ItemEdge, Items
from combray.transfer.report import ImportReport, Problem, Shape
from combray.types import SCOPED_EDGES, Memory, MemoryItem, Remembered

_AT_ONCE = 1000
SUBTYPE = "precedes"
"""Subtype of the link that `remember` makes to the latest memory of the same source."""


@dataclass(slots=True)
class Additions:
    """Items to remember, by moment, and the edges between them."""

    items: list[Item] = field(default_factory=list)
    edges: list[ItemEdge] = field(default_factory=list)
    known: dict[int, str] = field(default_factory=dict)
    """Place of an item whose id is already stored -> that id."""
    report: ImportReport = field(default_factory=lambda: ImportReport("items", True))


def plan(found: Items, shape: Shape, reader: Reader, diff: bool) -> Additions:
    """Find what is new. Items with a stored id are known; with `diff`, exact duplicates are too."""
    problems = list(found.problems)
    plan = Additions()
    given = {item.place: item.memory.id for item in found.items if "id" in item.fields}
    stored = reader.keys_of(sorted(set(given.values())))
    seen: set[str] = set()
    twice = set()
    for item in sorted(found.items, key=lambda each: (each.memory.moment, each.place)):
        identifier = given.get(item.place)
        if identifier is not None and identifier in stored:
            plan.known[item.place] = identifier
        elif identifier is not None and identifier in seen:
            twice.add(item.place)
            problem = f"id {identifier!r} occurs twice in the file."
            problems.append(Problem(0, problem, "Remove one of the items.", f"item {item.place + 1}"))
        else:
            seen.update([identifier] if identifier is not None else [])
            plan.items.append(item)
    stored_ends = reader.keys_of(sorted({edge.target for edge in found.edges if isinstance(edge.target, str)}))
    scopes: dict[int | str, tuple[str, ...]] = {item.place: scope_set(item.memory.tags) for item in found.items}
    ends = reader.memories(list(stored_ends.values()))
    scopes |= {name: scope_set(end.tags) for name, end in zip(stored_ends, ends, strict=True)}
    for edge in found.edges:
        if isinstance(edge.target, str) and edge.target not in stored_ends:
            problem = f"edge target {edge.target!r} is not the id of an item or a stored memory."
            problems.append(Problem(edge.entry.line, problem, "Remove the edge.", edge.entry.item))
        elif not twice & {edge.source, edge.target}:
            if edge.type in SCOPED_EDGES and scopes[edge.source] != scopes[edge.target]:
                problem = "edges: the two memories are in different scopes."
                problems.append(Problem(edge.entry.line, problem, "Remove the edge.", edge.entry.item))
            else:
                plan.edges.append(edge)
    repeats = _repeats(plan.items, reader) if diff else 0
    plan.report = ImportReport(
        shape,
        dry_run=True,
        memories=len(plan.items) - repeats,
        edges=len(plan.edges),
        skipped=len(plan.known) + repeats,
        problems=tuple(problems),
    )
    return plan


def _repeats(items: Sequence[Item], reader: Reader) -> int:
    """Count the items that duplicate a live memory or an earlier item. Episodes are never duplicates."""
    keys = reader.scan(Filter())
    seen: set[str] = set()
    for start in range(0, len(keys), _AT_ONCE):
        seen.update(memory.content_hash for memory in reader.memories(keys[start : start + _AT_ONCE]))
    count = 0
    for item in items:
        if item.memory.kind != "episode":
            count += item.memory.content_hash in seen
            seen.add(item.memory.content_hash)
    return count


def apply(
    plan: Additions,
    engine: Rememberer,
    diff: bool,
    progress: Callable[[int], None] | None,
    *,
    trusted: bool,
    atomic: bool = True,
) -> ImportReport:
    """Remember the items, link them and repair the backbone. On StoreError, items remembered so far are kept.

    An item that is refused stops its batch, or without `atomic` becomes a problem of the report.
    """
    results = engine.remember_many(
        [cast(MemoryItem, item.fields) for item in plan.items],
        diff=diff,
        progress=progress,
        judged_as="" if trusted else "untrusted",
        atomic=atomic,
    )
    both = list(zip(plan.items, results, strict=True))
    refused = [(item, result) for item, result in both if result.action == "refused"]
    ids = plan.known | {item.place: result.id for item, result in both}
    written = [result for result in results if result.action not in ("skipped", "refused")]
    edges = _link(plan, ids, written, engine)
    skipped = len(plan.known) + len(results) - len(refused) - len(written)
    problems = (Problem(0, result.reason, item=f"item {item.place + 1}") for item, result in refused)
    return replace(
        plan.report,
        dry_run=False,
        problems=(*plan.report.problems, *problems),
        memories=len(written),
        edges=edges,
        skipped=skipped,
        replaced=sum(result.action == "replaced" for result in written),
        quarantined=sum(result.guard.startswith("quarantined") for result in written),
    )


def _link(plan: Additions, ids: Mapping[int, str], written: Sequence[Remembered], engine: Rememberer) -> int:
    now = engine.runtime.clock()
    new = {result.id for result in written}
    items = (item.memory for item in plan.items if ids[item.place] in new)
    lines = _lines(engine.runtime.store.reader(engine.namespace), items)
    if not plan.edges and not lines:
        return 0
    with engine.runtime.store.transaction(engine.namespace) as tx:
        arrived = set(tx.keys_of(sorted(new)).values())
        for order in lines:
            _repair(tx, order, arrived, now)
        count = tx.link(_links(plan.edges, ids, tx), now)
        tx.note("import", "", f"{len(written)} memories, {count} edges", now)
    return count


def _links(edges: Sequence[ItemEdge], ids: Mapping[int, str], tx: Writer) -> list[Link]:
    """Resolve the ends of edges. A duplicate is replaced by the memory it duplicates."""
    ends = [
        (ids[edge.source], ids[edge.target] if isinstance(edge.target, int) else edge.target, edge)
        for edge in edges
    ]
    keys = tx.keys_of(sorted({end for source, target, _ in ends for end in (source, target)}))
    return [
        Link(keys[source], keys[target], edge.type, edge.weight, "", edge.reason, "import")
        for source, target, edge in ends
        if source in keys and target in keys and keys[source] != keys[target]
    ]


def _lines(reader: Reader, written: Iterable[Memory]) -> list[list[int]]:
    """Return the keys of the live memories of each source and scope among those written, by moment."""
    lines = sorted({(each.source, scope_set(each.tags)) for each in written})
    every = (reader.scan(Filter(sources=(source,), within=scope)) for source, scope in lines)
    return [[int(key) for key in keys] for keys in every]


def _repair(tx: Writer, order: Sequence[int], arrived: set[int], at: float) -> None:
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
