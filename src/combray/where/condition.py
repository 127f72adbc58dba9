"""Conditions on memories as small frozen values, and the fields that a condition can name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Literal

from combray.records import dataclass
from combray.types import CATEGORIES, KINDS, STATUSES, TIERS, TRUSTS

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
