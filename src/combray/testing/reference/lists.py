"""Pages of a sorted list: all rows are sorted, and the rows before the place are skipped."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from combray.runtime import Order, Place
from combray.testing.reference.state import Row, seconds

Value = str | int | float | None


def page(rows: Sequence[Row], order: Order, limit: int, after: Place | None) -> list[int]:
    """Return the keys of the rows after a place, in the order."""
    with_value = [row for row in rows if _value(row, order) is not None]
    without = [row for row in rows if _value(row, order) is None]
    with_value.sort(key=lambda row: (_value(row, order), row.memory.id), reverse=order.descending)
    without.sort(key=lambda row: row.memory.id, reverse=order.descending)
    every = [*with_value, *without]
    return [row.key for row in every if after is None or _is_behind(row, order, after)][:limit]


def _is_behind(row: Row, order: Order, after: Place) -> bool:
    value = _value(row, order)
    if (value is None) != (after.value is None):
        return value is None
    here, there = (value, row.memory.id), (after.value, after.id)
    if here == there:
        return after.inclusive
    return (here < there) if order.descending else (here > there)


def _value(row: Row, order: Order) -> Value:
    value: Value | datetime = getattr(row.memory, order.field)
    return round(seconds(value) * 1_000_000) if isinstance(value, datetime) else value
