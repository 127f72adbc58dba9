"""Which memories meet a condition: as changes since a revision, as a page in an order, as a number."""

from __future__ import annotations

from typing import Any

import numpy as np

from combray.records import dataclass
from combray.runtime import Keys, Order, Place
from combray.stores.conditions import Fragment
from combray.stores.postgres import sql
from combray.stores.postgres.conditions import compiled, metadata_meeting, numbered
from combray.stores.postgres.session import Session
from combray.stores.selections import behind, ordering
from combray.where import Condition


@dataclass(frozen=True, slots=True)
class PostgresChanges:
    """Implements `stores.selections.Changes`."""

    session: Session

    def meeting(self, condition: Condition, since: int) -> Keys:
        text, values = compiled(condition, metadata_meeting(self.session, since))
        return self._keys(sql.selections.meeting.format(met=numbered(text, 3)), since, *values)

    def changed(self, since: int) -> Keys:
        return self._keys(sql.selections.changed, since)

    def _keys(self, statement: str, *values: Any) -> Keys:
        return np.array([row[0] for row in self.session.of_rows(statement, *values)], dtype=np.int64)


def met(session: Session, condition: Condition | None) -> Fragment:
    """The condition as an expression; None is met by every memory."""
    return ("true", []) if condition is None else compiled(condition, metadata_meeting(session, -1))


def count(session: Session, condition: Condition | None) -> int:
    """Count the memories that meet the condition; None is met by every memory."""
    text, values = met(session, condition)
    ((found,),) = session.of_rows(sql.selections.count.format(met=numbered(text, 2)), *values)
    return int(found)


def page(
    session: Session, condition: Condition | None, order: Order, limit: int, after: Place | None
) -> list[int]:
    """Return the keys of a page."""
    text, values = met(session, condition)
    later, bounds = behind(order, after, "true")
    statement = sql.selections.page.format(
        met=numbered(text, 3), after=numbered(later, 3 + len(values)), order=ordering(order)
    )
    return [int(row[0]) for row in session.of_rows(statement, limit, *values, *bounds)]
