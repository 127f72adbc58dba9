"""Conditions and orders as SQL over the table `memory`: values are bound, never written into the statement.

Every expression is true or false and never NULL, so that `NOT` means what it says.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from combray.runtime import Order, Place
from combray.stores.rows import microseconds
from combray.where import FIELDS, And, Compare, Condition, Not

Fragment = tuple[str, list[Any]]
"""An expression and its parameters, one for each of its question marks."""

_COMPARED = {"gt": ">", "gte": ">=", "lt": "<", "lte": "<="}
_LABELS = {"tags": "tag", "entities": "entity"}
"""Field -> the sort of its rows in the table `label`."""
_NEVER_NULL = frozenset(
    ("id", "kind", "category", "importance", "confidence", "tier", "status", "source", "trust", "recorded_at")
) | {"moment", "access_count"}
_BARE = re.compile(r"\?(?!\d)")
_ESCAPED = frozenset('"\\/\x7f')


class ConditionSql(ABC):
    """What databases say differently of a condition."""

    @abstractmethod
    def listed(self, values: Sequence[Any]) -> Fragment:
        """Return what stands in the brackets of IN."""

    @abstractmethod
    def labelled(self, sort: str, names: Sequence[Any]) -> Fragment:
        """Return the query for the keys of the memories with one of these labels."""

    @abstractmethod
    def metadata(self, compare: Compare) -> Fragment:
        """Return the comparison of a memory's metadata."""

    def expression(self, condition: Condition) -> Fragment:
        """Return the condition as an expression, in a statement whose first parameter is the namespace."""
        if isinstance(condition, Not):
            text, values = self.expression(condition.part)
            return f"NOT ({text})", values
        if isinstance(condition, Compare):
            return self._compared(condition)
        parts = [self.expression(part) for part in condition.parts]
        glue = " AND " if isinstance(condition, And) else " OR "
        return f"({glue.join(text for text, _ in parts)})", [value for _, values in parts for value in values]

    def _compared(self, compare: Compare) -> Fragment:
        if compare.field == "metadata":
            return self.metadata(compare)
        column, operator = f"memory.{compare.field}", compare.operator
        if compare.field in _LABELS:
            if operator == "exists":
                return f"{column} {'<>' if compare.values[0] else '='} '[]'", []
            query, values = self.labelled(_LABELS[compare.field], list(compare.values))
            return f"memory.key {'NOT ' if operator == 'ne' else ''}IN ({query})", values
        if operator == "exists":
            return f"{column} IS {'NOT ' if compare.values[0] else ''}NULL", []
        values = [microseconds(each) if isinstance(each, datetime) else each for each in compare.values]
        if operator == "ne":
            return f"({column} IS NULL OR {column} <> ?)", values
        if operator in ("eq", "in"):
            listed, bound = self.listed(values)
            return (f"({column} IS NOT NULL AND {column} IN ({listed}))", bound) if values else ("false", [])
        return f"({column} IS NOT NULL AND {column} {_COMPARED[operator]} ?)", values


def needle(compare: Compare) -> str | None:
    """Return a text that the JSON of every matching metadata holds; None where there is none to look for."""
    if compare.operator == "ne" or (compare.operator == "exists" and compare.values == (False,)):
        return None
    one_text = compare.operator == "eq" and compare.sort == "text"
    text = str(compare.values[0]) if one_text else compare.path[-1]
    if any(each < " " or each in _ESCAPED for each in text):
        return None
    return f'"{text}"' if one_text else f'"{text}":'


def numbered(text: str, first: int, sign: str) -> str:
    """Replace the question marks that no number follows by numbered parameters that begin with a sign."""
    head, *rest = _BARE.split(text)
    return head + "".join(f"{sign}{first + place}{part}" for place, part in enumerate(rest))


def ordering(order: Order) -> str:
    """What follows ORDER BY: ties go by id, and rows without a value come last."""
    direction = "DESC" if order.descending else "ASC"
    column = _column(order)
    terms = [f"{column} {direction}", f"memory.id {direction}"]
    if order.field not in _NEVER_NULL:
        terms.insert(0, f"{column} IS NULL")
    return ", ".join(terms)


def behind(order: Order, after: Place | None) -> Fragment:
    """What stands behind a place in that order."""
    if after is None:
        return "true", []
    column, compared = _column(order), "<" if order.descending else ">"
    equal = "=" if after.inclusive else ""
    if after.value is None:
        return f"({column} IS NULL AND memory.id {compared}{equal} ?)", [after.id]
    text = f"({column}, memory.id) {compared}{equal} (?, ?)"
    return (text if order.field in _NEVER_NULL else f"({text} OR {column} IS NULL)"), [after.value, after.id]


def _column(order: Order) -> str:
    if order.field not in FIELDS:
        raise AssertionError(f"{order.field!r} is not a field")
    return f"memory.{order.field}"
