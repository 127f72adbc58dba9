"""Conditions as SQL over the table `memory`: values are bound, never written into the statement.

Every expression is true or false and never NULL, so that `NOT` means what it says. A comparison of metadata
becomes the list of memories that meet it: PostgreSQL's JSON paths do not compare as Combray's filter language.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec

from combray.stores.postgres.sql import sql
from combray.stores.rows import microseconds
from combray.stores.session import StoreSession
from combray.stores.statements import COMPARED, LABELS, Fragment, combined, needle
from combray.where import Compare, Condition, matches_data

_decode = msgspec.json.decode


def compiled(condition: Condition, session: StoreSession, since: int) -> Fragment:
    """The condition as an expression over rows of `memory`, in a statement whose $1 is the namespace.

    Metadata are those of the memories with a revision after `since`.
    """

    def compared(compare: Compare) -> Fragment:
        if compare.field == "metadata":
            text = needle(compare)
            asked = (sql.selections.any_metadata,) if text is None else (sql.selections.metadata, text)
            rows = session.of_rows(asked[0], since, *asked[1:])
            meeting = [key for key, data in rows if matches_data(compare, _decode(data))]
            return "memory.key = ANY(?::bigint[])", [meeting]
        return _label(compare) if compare.field in LABELS else _plain(compare)

    return combined(condition, compared)


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
    return f"({column} IS NOT NULL AND {column} {COMPARED[compare.operator]} ?)", values


def _label(compare: Compare) -> Fragment:
    if compare.operator == "exists":
        return f"memory.{compare.field} {'<>' if compare.values[0] else '='} '[]'", []
    values = [LABELS[compare.field], list(compare.values)]
    return f"memory.key {'NOT ' if compare.operator == 'ne' else ''}IN ({sql.selections.labelled})", values
