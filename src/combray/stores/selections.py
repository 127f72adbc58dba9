"""Which memories meet a condition: masks over a snapshot, and the parts of a page's statement."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from combray.records import dataclass
from combray.runtime import Keys, Order, Place
from combray.stores.conditions import Fragment
from combray.stores.session import StoreSession
from combray.stores.snapshot import Snapshot
from combray.where import FIELDS, Condition, fields_of

Mask = NDArray[np.bool_]

_UNVERSIONED = frozenset(("access_count", "last_accessed_at"))
"""Fields that change without a new revision of their row."""
_NEVER_NULL = frozenset(
    ("id", "kind", "category", "importance", "confidence", "tier", "status", "source", "trust", "recorded_at")
) | {"moment", "access_count"}
_MOST_KEPT = 32
_NONE: Mask = np.zeros(0, dtype=np.bool_)


@dataclass(frozen=True, slots=True)
class Changes:
    """Rows of a namespace with a revision after `since`; -1 for all."""

    session: StoreSession

    def meeting(self, condition: Condition, since: int) -> Keys:
        """Return the keys of those that meet the condition."""
        text, values = self.session.condition(condition, since)
        statement = self.session.sql.selections.meeting.format(met=self.session.numbered(text, 3))
        return self._keys(statement, since, *values)

    def changed(self, since: int) -> Keys:
        """Return the keys of all of them."""
        return self._keys(self.session.sql.selections.changed, since)

    def _keys(self, statement: str, *values: Any) -> Keys:
        return np.array([row[0] for row in self.session.of_rows(statement, *values)], dtype=np.int64)


class Selections:
    """Masks of conditions, each caught up by revision: a second recall with one filter looks at new rows only."""

    def __init__(self) -> None:
        self._kept: dict[Condition, tuple[int, int, Mask]] = {}

    def mask(self, changes: Changes, condition: Condition, snapshot: Snapshot) -> Mask:
        """Rows of the snapshot that meet the condition. Read only; the caller holds the cache's lock."""
        epoch, revision, old = self._kept.get(condition, (-1, -1, _NONE))
        if epoch == snapshot.epoch and revision == snapshot.revision:
            return old
        if epoch != snapshot.epoch or revision > snapshot.revision:
            mask = fresh_mask(changes, condition, snapshot)
        else:
            mask = np.zeros(snapshot.count, dtype=np.bool_)
            mask[: len(old)] = old
            mask[_slots(changes.changed(revision), snapshot)] = False
            mask[_slots(changes.meeting(condition, revision), snapshot)] = True
        # Otherwise a change of what the condition looks at may give its row no new revision.
        is_versioned = _UNVERSIONED.isdisjoint(fields_of(condition))
        if (epoch, revision) < (snapshot.epoch, snapshot.revision) and is_versioned:
            if condition not in self._kept and len(self._kept) >= _MOST_KEPT:
                self._kept.clear()
            self._kept[condition] = (snapshot.epoch, snapshot.revision, mask)
        return mask


def fresh_mask(changes: Changes, condition: Condition, snapshot: Snapshot) -> Mask:
    """Rows of the snapshot that meet the condition now."""
    mask = np.zeros(snapshot.count, dtype=np.bool_)
    mask[_slots(changes.meeting(condition, -1), snapshot)] = True
    return mask


def _slots(keys: Keys, snapshot: Snapshot) -> NDArray[np.int64]:
    slots = snapshot.slots(keys)
    return slots[slots >= 0]


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
