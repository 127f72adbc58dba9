"""Conditions on memories as small frozen values, the fields that they can name, and whether a memory meets one.

A store has its own way to find what meets a condition, which must agree with `matches`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from operator import ge, gt, le, lt
from typing import Any, Literal

from combray.records import dataclass
from combray.types import CATEGORIES, KINDS, STATUSES, TIERS, TRUSTS, Memory

Operator = Literal["eq", "ne", "in", "gt", "gte", "lt", "lte", "exists"]
Sort = Literal["text", "number", "time", "flag", "label"]
"""What the values of a comparison are. A label is one of a list, compared without regard to case."""
Value = str | int | float | bool | datetime

OPERATORS: tuple[Operator, ...] = ("eq", "ne", "in", "gt", "gte", "lt", "lte", "exists")
RANGES: tuple[Operator, ...] = ("gt", "gte", "lt", "lte")
METADATA = "metadata"

FIELDS: Mapping[str, Sort] = {
    "id": "text",
    "content": "text",
    "kind": "text",
    "category": "text",
    "importance": "number",
    "confidence": "number",
    "tier": "text",
    "status": "text",
    "tags": "label",
    "entities": "label",
    "source": "text",
    "author": "text",
    "session": "text",
    "position": "number",
    "trust": "text",
    "recorded_at": "time",
    "moment": "time",
    "occurred_from": "time",
    "occurred_to": "time",
    "said_at": "time",
    "valid_from": "time",
    "valid_to": "time",
    "expires_at": "time",
    "last_accessed_at": "time",
    "access_count": "number",
    "supersedes": "text",
    "superseded_by": "text",
    "merged_into": "text",
    "slot": "text",
}
"""Fields of a memory that a condition can name, besides `metadata`. `moment`: said_at,
else occurred_from, else recorded_at."""

CHOICES: Mapping[str, tuple[str, ...]] = {
    "kind": KINDS,
    "category": CATEGORIES,
    "tier": TIERS,
    "status": STATUSES,
    "trust": TRUSTS,
}
"""Fields whose values are one of a few."""


@dataclass(frozen=True, slots=True)
class Compare:
    """One field compared. `values` are all of one sort; only `in` has several. `exists` has True or False.

    `path` leads into `metadata`. A missing value matches only `ne` and "does not exist".
    """

    field: str
    operator: Operator
    sort: Sort
    values: tuple[Value, ...]
    path: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class And:
    """All parts hold."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """At least one part holds."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """The part does not hold."""

    part: Condition


Condition = Compare | And | Or | Not


def joined(*parts: Condition | None) -> Condition | None:
    """All the conditions at once, None among them meaning any memory."""
    given = tuple(part for part in parts if part is not None)
    return And(given) if len(given) > 1 else next(iter(given), None)


def one_of_texts(field: str, values: tuple[str, ...]) -> Compare:
    """A text field has one of the values."""
    return Compare(field, "in", "text", values)


def fields_of(condition: Condition | None) -> frozenset[str]:
    """Names of the fields that a condition looks at."""
    return frozenset(each.field for each in _comparisons(condition)) if condition is not None else frozenset()


def _comparisons(condition: Condition) -> Iterator[Compare]:
    if isinstance(condition, Compare):
        yield condition
        return
    for part in (condition.part,) if isinstance(condition, Not) else condition.parts:
        yield from _comparisons(part)


_ORDER: Mapping[str, Callable[[Any, Any], bool]] = {"gt": gt, "gte": ge, "lt": lt, "lte": le}
_TYPES: Mapping[Sort, type | tuple[type, ...]] = {
    "text": str,
    "label": str,
    "number": (int, float),
    "time": datetime,
    "flag": bool,
}


def matches(condition: Condition | None, memory: Memory) -> bool:
    """Whether the memory meets the condition; None lets every memory through."""
    if condition is None:
        return True
    if isinstance(condition, Not):
        return not matches(condition.part, memory)
    if isinstance(condition, Compare):
        if condition.field == METADATA:
            return matches_data(condition, memory.metadata)
        return _holds(condition, getattr(memory, condition.field))
    found = (matches(part, memory) for part in condition.parts)
    return all(found) if isinstance(condition, And) else any(found)


def matches_data(compare: Compare, data: Mapping[str, Any]) -> bool:
    """Whether metadata meets a comparison. A list has a value if one of its entries is that value."""
    value: Any = data
    for name in compare.path:
        value = value.get(name) if isinstance(value, Mapping) else None
    return _holds(compare, value)


def _holds(compare: Compare, value: Any) -> bool:
    if compare.operator == "exists":
        return (value is not None and value != ()) is compare.values[0]
    if compare.operator == "ne":
        return not _has_one(value, compare)
    if compare.operator in ("eq", "in"):
        return _has_one(value, compare)
    return _is_of(value, compare.sort) and _ORDER[compare.operator](value, compare.values[0])


def _has_one(value: Any, compare: Compare) -> bool:
    """Whether the value, or an entry of the list that it is, equals one of those given."""
    entries = value if isinstance(value, (list, tuple)) else (value,)
    if compare.sort == "label":
        entries = [each.casefold() for each in entries]
    return any(_is_of(each, compare.sort) and each in compare.values for each in entries)


def _is_of(value: Any, sort: Sort) -> bool:
    """Whether a value can be compared with those of a sort: true is not 1, and the text "4" is not a number."""
    if isinstance(value, bool):
        return sort == "flag"
    return isinstance(value, _TYPES[sort])
