"""Import items of other tools: read as fields of `remember`, remembered oldest first, then linked.

Mnemon's import draft is one object {schema_version, source, insights, edges}. The temporal backbone is repaired:
each memory of a source and scope is linked to the next one in time.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, cast

from combray.errors import InvalidInputError
from combray.forms.remembering import Remembering
from combray.language.scopes import scope_set
from combray.records import dataclass, field, replace
from combray.remember.validate import Validate
from combray.runtime import Filter, Link, Reader, Rememberer, Runtime, Writer
from combray.transfer.exports import LONGEST_REASON
from combray.transfer.parser import ImportReport, Parsed, PlacedObject, Problem, Shape, problem_of, shown
from combray.types import EDGE_TYPES, SCOPED_EDGES, EdgeType, Memory, MemoryItem, Remembered
from combray.values import clean_text, fraction, one_of

DRAFT_VERSION = "1"

_RENAMED = {"text": "content", "created_at": "recorded_at", "timestamp": "occurred_at"}
"""Field names of other tools. `created_at`: time of recording; `timestamp`: time of the event."""
_EDGE_RENAMED = {"edge_type": "type", "id": "target", "index": "target", "target_index": "target"}
_EDGE_FIELDS = ("target", "type", "weight", "reason")
_AT_ONCE = 1000
SUBTYPE = "precedes"
"""Subtype of the link that `remember` makes to the latest memory of the same source."""


@dataclass(frozen=True, slots=True)
class Item:
    """One text to remember: the given fields, and the memory made of them."""

    place: int
    fields: Mapping[str, Any]
    memory: Memory


@dataclass(frozen=True, slots=True)
class ItemEdge:
    """An edge between items (by their place in the file, from 0) or to a stored memory (by its id)."""

    source: int
    target: int | str
    type: EdgeType
    weight: float
    reason: str
    entry: PlacedObject


@dataclass(slots=True)
class Items:
    """The items, edges and problems of a file."""

    items: list[Item] = field(default_factory=list)
    edges: list[ItemEdge] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def read_items(parsed: Parsed, namespace: str, now: float, runtime: Runtime) -> Items:
    """Validate every item and edge by the rules of `remember`; invalid ones become problems."""
    found = Items(problems=list(parsed.problems))
    named: dict[str, int] = {}
    for place, entry in enumerate(parsed.entries):
        if entry.broken:
            continue
        try:
            item, edges = _item(place, entry, parsed, Remembering(namespace, [], now), runtime)
        except InvalidInputError as error:
            found.problems.append(problem_of(error, entry.line, entry.item))
            continue
        found.items.append(item)
        found.edges.extend(edges)
        if entry.fields.get("id") is not None:
            named.setdefault(str(entry.fields["id"]), place)
    found.edges.extend(_draft_edges(parsed, found.problems))
    _resolve(found, named, len(parsed.entries))
    return found


def _item(
    place: int, entry: PlacedObject, parsed: Parsed, state: Remembering, runtime: Runtime
) -> tuple[Item, list[ItemEdge]]:
    given = dict(entry.fields)
    edges = given.pop("edges", None) or []
    fields = {_RENAMED.get(name, name): value for name, value in given.items()}
    if len(fields) < len(given):
        twice = sorted(name for name in given if name in _RENAMED and _RENAMED[name] in given)
        problem = f"is another name of {_RENAMED[twice[0]]!r}, which is also given."
        raise InvalidInputError(twice[0], problem, "Keep one of them.")
    if parsed.shape == "mnemon" and fields.get("source") is None and parsed.head.get("source"):
        fields["source"] = parsed.head["source"]
    fields = {name: value for name, value in fields.items() if value is not None}
    _keep_foreign_id(fields)
    # A relative date must not shift between validation and import, so it is resolved here.
    state.items = [fields]
    memory = Validate()(state, runtime).drafts[0].memory
    for name, moment in (("occurred_at", memory.occurred_from), ("recorded_at", memory.recorded_at)):
        if name in fields:
            fields[name] = moment
    if not isinstance(edges, list):
        raise InvalidInputError("edges", f"must be a list, got {shown(edges)}.", "Write a list of edges.")
    return Item(place, fields, memory), [_edge(place, each, entry) for each in edges]


def _keep_foreign_id(fields: dict[str, Any]) -> None:
    """Move an id that is not a UUID to the metadata; the memory gets a new id."""
    given = fields.get("id")
    if given is None:
        return
    try:
        uuid.UUID(str(given))
    except ValueError:
        metadata = fields.get("metadata", {})
        if not isinstance(metadata, dict):
            raise InvalidInputError("metadata", f"must be a JSON object, got {shown(metadata)}.") from None
        fields["metadata"] = {"id": given, **metadata}
        del fields["id"]


def _edge(source: int, given: Any, entry: PlacedObject) -> ItemEdge:
    named: dict[str, Any] = given if isinstance(given, dict) else {"target": given}
    fields = {_EDGE_RENAMED.get(name, name): value for name, value in named.items()}
    unknown = sorted(set(fields) - set(_EDGE_FIELDS))
    if unknown:
        raise InvalidInputError("edges", f"have no field {unknown[0]!r}.", f"Use only {', '.join(_EDGE_FIELDS)}.")
    target = fields.get("target")
    if isinstance(target, bool) or not isinstance(target, str | int):
        remedy = "Give an item's id or its place in the file, counted from 0."
        raise InvalidInputError("edges", f"have an invalid target {shown(target)}.", remedy)
    weight = fields.get("weight")
    return ItemEdge(
        source,
        target,
        one_of("edges", fields.get("type") or "semantic", EDGE_TYPES),
        fraction("weight", 0.5 if weight is None else weight),
        clean_text("reason", fields.get("reason") or "", LONGEST_REASON),
        entry,
    )


def _draft_edges(parsed: Parsed, problems: list[Problem]) -> list[ItemEdge]:
    found = []
    version = parsed.head.get("schema_version", DRAFT_VERSION)
    if parsed.shape == "mnemon" and str(version) != DRAFT_VERSION:
        problem = f"schema_version must be {DRAFT_VERSION!r}, got {version!r}."
        problems.append(Problem(0, problem, "Write version 1."))
    for entry in parsed.edges:
        if entry.broken:
            continue
        fields = dict(entry.fields)
        source = fields.pop("source_index", None)
        try:
            if isinstance(source, bool) or not isinstance(source, int) or source < 0:
                problem = f"must be a whole number from 0, got {shown(source)}."
                raise InvalidInputError("source_index", problem, "Count insights from 0.")
            found.append(_edge(source, fields, entry))
        except InvalidInputError as error:
            problems.append(problem_of(error, entry.line, entry.item))
    return found


def _resolve(found: Items, named: Mapping[str, int], count: int) -> None:
    """Resolve item ids to places; edges without a valid start or end become problems."""
    good = {item.place for item in found.items}
    edges = []
    for edge in found.edges:
        target = named.get(str(edge.target), edge.target)
        ends = [edge.source, *([target] if isinstance(target, int) else [])]
        outside = [end for end in ends if not 0 <= end < count]
        broken = [end for end in ends if end not in good]
        if outside or edge.source == target:
            what = f"item {outside[0]} does not exist" if outside else f"item {target} is linked to itself"
            remedy = f"Use places from 0 to {count - 1}."
            found.problems.append(Problem(edge.entry.line, f"edges: {what}.", remedy, edge.entry.item))
        elif not broken:
            edges.append(replace(edge, target=target))
    found.edges = edges


# -- into the store ------------------------------------------------------------------------------


@dataclass(slots=True)
class Additions:
    """Items to remember, by moment, and the edges between them."""

    items: list[Item] = field(default_factory=list)
    edges: list[ItemEdge] = field(default_factory=list)
    known: dict[int, str] = field(default_factory=dict)
    """Place of an item whose id is already stored -> that id."""
    report: ImportReport = field(default_factory=lambda: ImportReport("items", True))


def plan_additions(found: Items, shape: Shape, reader: Reader, diff: bool) -> Additions:
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


def add(
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
