"""SQL as text: named statements in files, and the parts of a statement that conditions and orders make.

`-- name: whole` in a file begins the statement `whole`. A condition is an expression over the table `memory`: its
values are bound, never written into the statement.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from combray.runtime import Order, Place
from combray.types import LIVE_STATUSES, Memory
from combray.where import FIELDS as WHERE_FIELDS
from combray.where import And, Compare, Condition, Not

FIELDS = tuple(name for name in Memory.__struct_fields__ if name != "namespace")
"""Columns of the memory table that are fields of a Memory, in the struct's order."""
CONSTANTS = {
    "{fields}": ", ".join(FIELDS),
    "{live}": f"status IN {LIVE_STATUSES} AND trust <> 'quarantined'",
    "{job}": "key, model, added, attempts, next_at, holder, failed, error, done",
}
"""What a file of statements may refer to: `{fields}` are the columns that are fields of a Memory, `{live}` is the
condition that a memory is current. The caller replaces other braces."""


class Statements:
    """The statements of one file as attributes. The file is read when the first is used."""

    def __init__(self, subject: str, folder: Path, constants: Mapping[str, str]) -> None:
        self.subject, self._folder, self._constants = subject, folder, constants

    def __getattr__(self, name: str) -> str:
        if name.startswith("__"):
            raise AttributeError(name)
        text = (self._folder / f"{self.subject}.sql").read_text(encoding="utf-8")
        for constant, meaning in self._constants.items():
            text = text.replace(constant, meaning)
        for part in text.split("-- name: ")[1:]:
            title, _, statement = part.partition("\n")
            self.__dict__[title.strip()] = statement.strip()
        if name not in self.__dict__:
            raise AttributeError(f"{self.subject}.sql has no statement {name!r}")
        return str(self.__dict__[name])


class Sql:
    """The statements of a database by subject: `sql.memories.whole` is `whole` in `memories.sql` of the folder.

    `marks` are the parameters of the statement that adds a memory.
    """

    def __init__(self, folder: Path, marks: str) -> None:
        constants = {**CONSTANTS, "{marks}": marks}
        for path in folder.glob("*.sql"):
            self.__dict__[path.stem] = Statements(path.stem, folder, constants)

    if TYPE_CHECKING:

        def __getattr__(self, subject: str) -> Statements: ...


Fragment = tuple[str, list[Any]]
"""An expression and its parameters, one for each of its question marks."""

COMPARED = {"gt": ">", "gte": ">=", "lt": "<", "lte": "<="}
LABELS = {"tags": "tag", "entities": "entity"}
"""Field -> the sort of its rows in the table `label`."""
_NEVER_NULL = frozenset(
    ("id", "kind", "category", "importance", "confidence", "tier", "status", "source", "trust", "recorded_at")
) | {"moment", "access_count"}
_BARE = re.compile(r"\?(?!\d)")
_ESCAPED = frozenset('"\\/\x7f')


def combined(condition: Condition, compared: Callable[[Compare], Fragment]) -> Fragment:
    """Return the expression of a condition, given those of its comparisons."""
    if isinstance(condition, Not):
        text, values = combined(condition.part, compared)
        return f"NOT ({text})", values
    if isinstance(condition, Compare):
        return compared(condition)
    parts = [combined(part, compared) for part in condition.parts]
    glue = " AND " if isinstance(condition, And) else " OR "
    return f"({glue.join(text for text, _ in parts)})", [value for _, values in parts for value in values]


def numbered(text: str, first: int, sign: str) -> str:
    """Replace the question marks that no number follows by numbered parameters that begin with a sign."""
    head, *rest = _BARE.split(text)
    return head + "".join(f"{sign}{first + place}{part}" for place, part in enumerate(rest))


def needle(compare: Compare) -> str | None:
    """Return a text that the JSON of every matching metadata holds; None where there is none to look for."""
    if compare.operator == "ne" or (compare.operator == "exists" and compare.values == (False,)):
        return None
    one_text = compare.operator == "eq" and compare.sort == "text"
    text = str(compare.values[0]) if one_text else compare.path[-1]
    if any(each < " " or each in _ESCAPED for each in text):
        return None
    return f'"{text}"' if one_text else f'"{text}":'


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
    if order.field not in WHERE_FIELDS:
        raise AssertionError(f"{order.field!r} is not a field")
    return f"memory.{order.field}"
