"""Items of other tools into an engine: remembered oldest first, then linked, dates kept as they were."""

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
    """Items that are to be remembered, by moment, and the edges between them."""

    items: list[Item] = field(default_factory=list)
    edges: list[ItemEdge] = field(default_factory=list)
    known: dict[int, str] = field(default_factory=dict)
    """Place of an item that is stored already under its id -> that id."""
    report: ImportReport = field(default_factory=lambda: ImportReport("items", True))


def plan(found: Items, shape: Shape, reader: Reader, diff: bool) -> Additions:
    """What is new. Items with an id that is stored are known; with `diff`, so are exact repeats."""
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
            problems.append(Problem(0, f"id: {identifier!r} is in the file twice.", "Take one out.", _name(item)))
        else:
            seen.update([identifier] if identifier is not None else [])
            plan.items.append(item)
    stored_ends = reader.keys_of(sorted({edge.target for edge in found.edges if isinstance(edge.target, str)}))
    for edge in found.edges:
        if isinstance(edge.target, str) and edge.target not in stored_ends:
            problem = f"edges: {edge.target!r} is neither an item's id nor a stored memory's."
            problems.append(Problem(edge.entry.line, problem, "Take the edge out.", edge.entry.item))
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


def _name(item: Item) -> str:
    return f"item {item.place + 1}"


def _repeats(items: Sequence[Item], reader: Reader) -> int:
    """How many say what a live memory, or an earlier item, says already. What was said stays as often as
    it was said: episodes never repeat."""
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
) -> ImportReport:
    """Remember, link, mend the backbone. Raises StoreError; what was remembered before it stays."""
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
    """Items that turned out to be repeats are linked by what they repeat."""
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
