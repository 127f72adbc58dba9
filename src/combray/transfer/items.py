"""Read items of other tools as fields of `remember`, and the edges between them.

Mnemon's import draft is one object {schema_version, source, insights, edges}.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

from combray.errors import InvalidInputError
from combray.forms.remembering import Remembering
from combray.records import dataclass, field, replace
from combray.remember.validate import Validate
from combray.runtime import Runtime
from combray.transfer.parser import Parsed, PlacedObject
from combray.transfer.report import Problem, problem_of, shown
from combray.types import EDGE_TYPES, EdgeType, Memory
from combray.values import clean_text, fraction, one_of

DRAFT_VERSION = "1"

_RENAMED = {"text": "content", "created_at": "recorded_at", "timestamp": "occurred_at"}
"""Field names of other tools. `created_at`: time of recording; `timestamp`: time of the event."""
_EDGE_RENAMED = {"edge_type": "type", "id": "target", "index": "target", "target_index": "target"}
_EDGE_FIELDS = ("target", "type", "weight", "reason")


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
        clean_text("reason", fields.get("reason") or "", 8000),
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
