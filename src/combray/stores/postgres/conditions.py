"""Conditions as SQL over the table `memory`: values are bound, never written into the statement.

Every expression is true or false and never NULL, so that `NOT` means what it says. A comparison of metadata
becomes the list of memories that meet it: PostgreSQL's JSON paths do not compare as Combray's filter language.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

import msgspec

from combray.stores.postgres import sql
from combray.stores.postgres.session import Session
from combray.stores.sqlite.conditions import _COMPARED, _LABELS, _needle
from combray.stores.sqlite.rows import microseconds
from combray.where import And, Compare, Condition, Not, matches_data

Fragment = tuple[str, list[Any]]
"""An expression with a question mark for each of its parameters."""
Meeting = Callable[[Compare], list[int]]
"""Returns the keys of the memories whose metadata meet a comparison."""

_decode = msgspec.json.decode


def numbered(text: str, first: int) -> str:
    """Replace the question marks by numbered parameters."""
    head, *rest = text.split("?")
    return head + "".join(f"${first + place}{part}" for place, part in enumerate(rest))


def metadata_meeting(session: Session, since: int) -> Meeting:
    """Compare the metadata of the memories with a revision after `since`."""

    def meeting(compare: Compare) -> list[int]:
        needle = _needle(compare)
        if needle is None:
            rows = session.of_rows(sql.selections.any_metadata, since)
        else:
            rows = session.of_rows(sql.selections.metadata, since, needle)
        return [key for key, data in rows if matches_data(compare, _decode(data))]

    return meeting


def compiled(condition: Condition, meeting: Meeting) -> Fragment:
    """The condition as an expression over rows of `memory`, in a statement whose $1 is the namespace."""
    if isinstance(condition, Not):
        text, values = compiled(condition.part, meeting)
        return f"NOT ({text})", values
    if isinstance(condition, Compare):
        if condition.field == "metadata":
            return "memory.key = ANY(?::bigint[])", [meeting(condition)]
        return _label(condition) if condition.field in _LABELS else _plain(condition)
    parts = [compiled(part, meeting) for part in condition.parts]
    glue = " AND " if isinstance(condition, And) else " OR "
    return f"({glue.join(text for text, _ in parts)})", [value for _, values in parts for value in values]


def _plain(compare: Compare) -> Fragment:
    column = f"memory.{compare.field}"
    values: list[Any] = [microseconds(each) if isinstance(each, datetime) else each for each in compare.values]
    if compare.operator == "exists":
        return f"{column} IS {'NOT ' if compare.values[0] else ''}NULL", []
    if compare.operator == "ne":
        return f"{column} IS DISTINCT FROM ?", values
    if compare.operator in ("eq", "in"):
        marks = ", ".join("?" * len(values))
        return f"({column} IS NOT NULL AND {column} IN ({marks}))" if values else "false", values
    return f"({column} IS NOT NULL AND {column} {_COMPARED[compare.operator]} ?)", values


def _label(compare: Compare) -> Fragment:
    if compare.operator == "exists":
        return f"memory.{compare.field} {'<>' if compare.values[0] else '='} '[]'", []
    values = [_LABELS[compare.field], list(compare.values)]
    return f"memory.key {'NOT ' if compare.operator == 'ne' else ''}IN ({sql.selections.labelled})", values
