"""Whether a memory meets a condition, looked at field by field: what every store's own way must agree with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from operator import ge, gt, le, lt
from typing import Any

from combray.types import Memory
from combray.where.condition import METADATA, And, Compare, Condition, Not, Sort

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
