"""Which memories meet a condition: as a mask over a snapshot, as a page in an order, as a number."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from combray.runtime import Order, Place
from combray.stores.postgres import sql
from combray.stores.postgres.conditions import Fragment, compiled, metadata_meeting, numbered
from combray.stores.postgres.session import Session
from combray.stores.snapshot import Snapshot
from combray.stores.sqlite.selections import _MOST_KEPT, _NEVER_NULL, _UNVERSIONED, Mask, _column
from combray.where import Condition, fields_of

_NONE: Mask = np.zeros(0, dtype=np.bool_)


class Selections:
    """Masks of conditions, each caught up by revision: a second recall with one filter looks at new rows only."""

    def __init__(self) -> None:
        self._kept: dict[Condition, tuple[int, int, Mask]] = {}

    def mask(self, session: Session, condition: Condition, snapshot: Snapshot) -> Mask:
        """Rows of the snapshot that meet the condition. Read only; the caller holds the cache's lock."""
        epoch, revision, old = self._kept.get(condition, (-1, -1, _NONE))
        if epoch == snapshot.epoch and revision == snapshot.revision:
            return old
        if epoch != snapshot.epoch or revision > snapshot.revision:
            mask = fresh_mask(session, condition, snapshot)
        else:
            mask = np.zeros(snapshot.count, dtype=np.bool_)
            mask[: len(old)] = old
            mask[_slots(session, sql.selections.changed, revision, [], snapshot)] = False
            mask[_meeting(session, revision, condition, snapshot)] = True
        # Otherwise a change of what the condition looks at may give its row no new revision.
        is_versioned = _UNVERSIONED.isdisjoint(fields_of(condition))
        if (epoch, revision) < (snapshot.epoch, snapshot.revision) and is_versioned:
            if condition not in self._kept and len(self._kept) >= _MOST_KEPT:
                self._kept.clear()
            self._kept[condition] = (snapshot.epoch, snapshot.revision, mask)
        return mask


def fresh_mask(session: Session, condition: Condition, snapshot: Snapshot) -> Mask:
    """Rows of the snapshot that meet the condition now."""
    mask = np.zeros(snapshot.count, dtype=np.bool_)
    mask[_meeting(session, -1, condition, snapshot)] = True
    return mask


def _meeting(session: Session, since: int, condition: Condition, snapshot: Snapshot) -> NDArray[np.int64]:
    met, values = compiled(condition, metadata_meeting(session, since))
    return _slots(session, sql.selections.meeting.format(met=numbered(met, 3)), since, values, snapshot)


def _slots(
    session: Session, statement: str, since: int, values: list[Any], snapshot: Snapshot
) -> NDArray[np.int64]:
    rows = session.of_rows(statement, since, *values)
    slots = snapshot.slots(np.array([row[0] for row in rows], dtype=np.int64))
    return slots[slots >= 0]


def _met(session: Session, condition: Condition | None) -> Fragment:
    return ("true", []) if condition is None else compiled(condition, metadata_meeting(session, -1))


def count(session: Session, condition: Condition | None) -> int:
    """Count the memories that meet the condition; None is met by every memory."""
    met, values = _met(session, condition)
    ((found,),) = session.of_rows(sql.selections.count.format(met=numbered(met, 2)), *values)
    return int(found)


def page(
    session: Session, condition: Condition | None, order: Order, limit: int, after: Place | None
) -> list[int]:
    """Return the keys of a page."""
    met, values = _met(session, condition)
    behind, bounds = _behind(order, after)
    direction = "DESC" if order.descending else "ASC"
    column = _column(order)
    terms = [f"{column} {direction}", f"memory.id {direction}"]
    if order.field not in _NEVER_NULL:
        terms.insert(0, f"{column} IS NULL")
    statement = sql.selections.page.format(
        met=numbered(met, 3), after=numbered(behind, 3 + len(values)), order=", ".join(terms)
    )
    return [int(row[0]) for row in session.of_rows(statement, limit, *values, *bounds)]


def _behind(order: Order, after: Place | None) -> Fragment:
    """What stands behind a place: ties go by id, and rows without a value come last."""
    if after is None:
        return "true", []
    column, compared = _column(order), "<" if order.descending else ">"
    equal = "=" if after.inclusive else ""
    if after.value is None:
        return f"({column} IS NULL AND memory.id {compared}{equal} ?)", [after.id]
    text = f"({column}, memory.id) {compared}{equal} (?, ?)"
    return (text if order.field in _NEVER_NULL else f"({text} OR {column} IS NULL)"), [after.value, after.id]
