"""Which memories meet a condition: as a mask over a snapshot, as a page in an order, as a number."""

from __future__ import annotations

import sqlite3
from typing import Any

import numpy as np
from numpy.typing import NDArray

from combray.runtime import Order, Place
from combray.stores.snapshot import Snapshot
from combray.stores.sqlite import sql
from combray.stores.sqlite.conditions import Fragment, compiled
from combray.where import FIELDS, Condition, fields_of

Mask = NDArray[np.bool_]

_UNVERSIONED = frozenset(("access_count", "last_accessed_at"))
"""Fields that change without a new revision of their row."""
_NEVER_NULL = frozenset(
    ("id", "kind", "category", "importance", "confidence", "tier", "status", "source", "trust", "recorded_at")
) | {"moment", "access_count"}
_MOST_KEPT = 32
_NONE: Mask = np.zeros(0, dtype=np.bool_)


class Selections:
    """Masks of conditions, each caught up by revision: a second recall with one filter looks at new rows only."""

    def __init__(self) -> None:
        self._kept: dict[Condition, tuple[int, int, Mask]] = {}

    def mask(self, connection: sqlite3.Connection, number: int, condition: Condition, snapshot: Snapshot) -> Mask:
        """Rows of the snapshot that meet the condition. Read only; the caller holds the cache's lock."""
        epoch, revision, old = self._kept.get(condition, (-1, -1, _NONE))
        if epoch == snapshot.epoch and revision == snapshot.revision:
            return old
        if epoch != snapshot.epoch or revision > snapshot.revision:
            mask = fresh_mask(connection, number, condition, snapshot)
        else:
            mask = np.zeros(snapshot.count, dtype=np.bool_)
            mask[: len(old)] = old
            mask[_slots(connection, sql.selections.changed, number, revision, [], snapshot)] = False
            mask[_meeting(connection, number, revision, condition, snapshot)] = True
        # Otherwise a change of what the condition looks at may give its row no new revision.
        is_versioned = _UNVERSIONED.isdisjoint(fields_of(condition))
        if (epoch, revision) < (snapshot.epoch, snapshot.revision) and is_versioned:
            if condition not in self._kept and len(self._kept) >= _MOST_KEPT:
                self._kept.clear()
            self._kept[condition] = (snapshot.epoch, snapshot.revision, mask)
        return mask


def fresh_mask(connection: sqlite3.Connection, number: int, condition: Condition, snapshot: Snapshot) -> Mask:
    """Rows of the snapshot that meet the condition now."""
    mask = np.zeros(snapshot.count, dtype=np.bool_)
    mask[_meeting(connection, number, -1, condition, snapshot)] = True
    return mask


def _meeting(
    connection: sqlite3.Connection, number: int, since: int, condition: Condition, snapshot: Snapshot
) -> NDArray[np.int64]:
    met, values = compiled(condition)
    return _slots(connection, sql.selections.meeting.format(met=met), number, since, values, snapshot)


def _slots(
    connection: sqlite3.Connection, statement: str, number: int, since: int, values: list[Any], snapshot: Snapshot
) -> NDArray[np.int64]:
    rows = connection.execute(statement, (number, since, *values)).fetchall()
    slots = snapshot.slots(np.array([row[0] for row in rows], dtype=np.int64))
    return slots[slots >= 0]


def met(condition: Condition | None) -> Fragment:
    """The condition as an expression; None is met by every memory."""
    return ("1", []) if condition is None else compiled(condition)


def page(condition: Condition | None, order: Order, after: Place | None) -> Fragment:
    """The statement of a page and its parameters but for the namespace and the limit."""
    condition_met, values = met(condition)
    behind, bounds = _behind(order, after)
    direction = "DESC" if order.descending else "ASC"
    column = _column(order)
    terms = [f"{column} {direction}", f"memory.id {direction}"]
    if order.field not in _NEVER_NULL:
        terms.insert(0, f"{column} IS NULL")
    statement = sql.selections.page.format(met=condition_met, after=behind, order=", ".join(terms))
    return statement, [*values, *bounds]


def _column(order: Order) -> str:
    if order.field not in FIELDS:
        raise AssertionError(f"{order.field!r} is not a field")
    return f"memory.{order.field}"


def _behind(order: Order, after: Place | None) -> Fragment:
    """What stands behind a place: ties go by id, and rows without a value come last."""
    if after is None:
        return "1", []
    column, compared = _column(order), "<" if order.descending else ">"
    equal = "=" if after.inclusive else ""
    if after.value is None:
        return f"({column} IS NULL AND memory.id {compared}{equal} ?)", [after.id]
    sql = f"({column}, memory.id) {compared}{equal} (?, ?)"
    return (sql if order.field in _NEVER_NULL else f"({sql} OR {column} IS NULL)"), [after.value, after.id]
