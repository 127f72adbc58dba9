"""Statements that are sent together: libpq's pipeline mode needs one round trip for any number of them."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from psycopg import Connection, Cursor

from combray.records import dataclass
from combray.stores.session import Row

# psycopg logs the statements that were skipped behind a failed one; the error itself is raised.
logging.getLogger("psycopg").addHandler(logging.NullHandler())


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement with its values."""

    text: bytes
    values: Sequence[Any] = ()
    """With `is_each` one tuple per run of the statement."""
    gives_rows: bool = False
    """Whether its result is its rows; otherwise it is the number of rows that it touched."""
    is_of: bool = False
    """Whether the number of the namespace is bound as $1."""
    is_each: bool = False


def run(connection: Connection[Row], number: int | None, statements: Sequence[Statement]) -> list[Any]:
    """Run statements in their order, and return the result of each. `number`: the namespace's."""
    if len(statements) == 1:
        return [_result(_started(connection, number, statements[0]), statements[0])]
    with connection.pipeline():
        started = start(connection, number, statements)
    return [_result(cursor, each) for cursor, each in zip(started, statements, strict=True)]


def start(connection: Connection[Row], number: int | None, statements: Sequence[Statement]) -> list[Cursor[Row]]:
    """Send statements in an open pipeline."""
    return [_started(connection, number, each) for each in statements]


def _started(connection: Connection[Row], number: int | None, one: Statement) -> Cursor[Row]:
    if not one.is_each:
        return connection.execute(
            one.text, (number, *one.values) if one.is_of else one.values, binary=one.gives_rows
        )
    cursor = connection.cursor()
    cursor.executemany(one.text, [(number, *row) for row in one.values] if one.is_of else one.values)
    return cursor


def _result(cursor: Cursor[Row], one: Statement) -> Any:
    return cursor.fetchall() if one.gives_rows else max(0, cursor.rowcount)
