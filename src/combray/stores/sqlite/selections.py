"""Which memories meet a condition: as changes since a revision, as a page in an order."""

from __future__ import annotations

import sqlite3
from typing import Any

import numpy as np

from combray.records import dataclass
from combray.runtime import Keys, Order, Place
from combray.stores.conditions import Fragment
from combray.stores.selections import behind, ordering
from combray.stores.sqlite import sql
from combray.stores.sqlite.conditions import compiled
from combray.where import Condition


@dataclass(frozen=True, slots=True)
class SqliteChanges:
    """Implements `stores.selections.Changes`."""

    connection: sqlite3.Connection
    number: int

    def meeting(self, condition: Condition, since: int) -> Keys:
        text, values = compiled(condition)
        return self._keys(sql.selections.meeting.format(met=text), since, *values)

    def changed(self, since: int) -> Keys:
        return self._keys(sql.selections.changed, since)

    def _keys(self, statement: str, *values: Any) -> Keys:
        rows = self.connection.execute(statement, (self.number, *values)).fetchall()
        return np.array([row[0] for row in rows], dtype=np.int64)


def met(condition: Condition | None) -> Fragment:
    """The condition as an expression; None is met by every memory."""
    return ("1", []) if condition is None else compiled(condition)


def page(condition: Condition | None, order: Order, after: Place | None) -> Fragment:
    """The statement of a page and its parameters but for the namespace and the limit."""
    condition_met, values = met(condition)
    later, bounds = behind(order, after, "1")
    statement = sql.selections.page.format(met=condition_met, after=later, order=ordering(order))
    return statement, [*values, *bounds]
