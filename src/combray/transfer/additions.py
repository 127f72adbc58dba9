"""Import items of other tools: remember them oldest first, keep their dates, then link them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from combray.runtime import Filter, Link, Reader, Rememberer, Writer
from combray.transfer.backbone import repair, sources_in_order
from combray.transfer.items import Item, ItemEdge, Items
from combray.transfer.report import ImportReport, Problem, Shape
from combray.types import MemoryItem, Remembered

_AT_ONCE = 1000


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
    for edge in found.edges:
        if isinstance(edge.target, str) and edge.target not in stored_ends:
            problem = f"edge target {edge.target!r} is not the id of an item or a stored memory."
            problems.append(Problem(edge.entry.line, problem, "Remove the edge.", edge.entry.item))
        elif not twice & {edge.source, edge.target}:
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
    plan: Additions, engine: Rememberer, diff: bool, progress: Callable[[int], None] | None, *, trusted: bool
) -> ImportReport:
    """Remember the items, link them and repair the backbone. On StoreError, items remembered so far are kept."""
    results = engine.remember_many(
        [cast(MemoryItem, item.fields) for item in plan.items],
        diff=diff,
        progress=progress,
        judged_as="" if trusted else "untrusted",
    )
    ids = dict(plan.known)
    ids.update((item.place, result.id) for item, result in zip(plan.items, results, strict=True))
    written = [result for result in results if result.action != "skipped"]
    edges = _link(plan, ids, written, engine)
    skipped = len(plan.known) + len(results) - len(written)
    return replace(
        plan.report,
        dry_run=False,
        memories=len(written),
        edges=edges,
        skipped=skipped,
        replaced=sum(result.action == "replaced" for result in written),
        quarantined=sum(result.guard.startswith("quarantined") for result in written),
    )


def _link(plan: Additions, ids: Mapping[int, str], written: Sequence[Remembered], engine: Rememberer) -> int:
    now = engine.runtime.clock()
    new = {result.id for result in written}
    sources = {item.memory.source for item in plan.items if ids[item.place] in new}
    lines = sources_in_order(engine.runtime.store.reader(engine.namespace), sources)
    if not plan.edges and not lines:
        return 0
    with engine.runtime.store.transaction(engine.namespace) as tx:
        arrived = set(tx.keys_of(sorted(new)).values())
        for order in lines:
            repair(tx, order, arrived, now)
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
