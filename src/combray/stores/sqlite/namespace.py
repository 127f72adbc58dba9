"""The namespace filter: the only place that restricts reads and writes to a namespace.

The rows of a namespace carry its number. The number is applied in two ways, both of them here:

- A statement on rows of a namespace takes the number as ?1. `Namespace` binds it.
- A term of the keyword index begins with the number. `term` writes it.

Columns, vectors and posting lists in memory (`cache.py`) belong to one namespace each and are filled by such
statements. A test checks that every statement on a table with a namespace either uses ?1 or names keys.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Any

from combray.errors import NotFoundError
from combray.stores.rows import listed
from combray.stores.sqlite import sql

Reading = Callable[[], AbstractContextManager[sqlite3.Connection]]
"""Opens a connection that sees one unchanging state of the file."""


def term(namespace: int, text: str) -> str:
    """Return a term as the keyword index stores it."""
    return f"{namespace:x}_{text}"


def missing(key: int, namespace: str) -> NotFoundError:
    """Return the error for a key that is not in the namespace."""
    return NotFoundError(f"memory key {key} is not in namespace {namespace!r}. Read its key again by its id.")


class Namespace:
    """Runs statements on the rows of one namespace, with the namespace's number as ?1."""

    def __init__(self, name: str, reading: Reading) -> None:
        self.name = name
        self.reading = reading
        self.known: int | None = None
        """The number during a write transaction, where it cannot change."""

    def number(self, connection: sqlite3.Connection) -> int | None:
        """Return the number. None, which no row equals, before the first write to the namespace."""
        if self.known is not None:
            return self.known
        row = connection.execute(sql.namespaces.state, (self.name,)).fetchone()
        return int(row[0]) if row else None

    def rows(self, statement: str, *values: Any) -> list[Any]:
        """Return all rows of a statement."""
        with self.reading() as connection:
            return self.rows_in(connection, statement, *values)

    def rows_in(self, connection: sqlite3.Connection, statement: str, *values: Any) -> list[Any]:
        """Return all rows of a statement in the state that the connection sees."""
        return connection.execute(statement, (self.number(connection), *values)).fetchall()

    def row(self, statement: str, *values: Any) -> Any:
        """Return the first row of a statement, or None."""
        with self.reading() as connection:
            return connection.execute(statement, (self.number(connection), *values)).fetchone()

    def write(self, statement: str, *values: Any) -> int:
        """Run a statement. Return the number of rows it touched."""
        return self.write_each(statement, [values])

    def write_each(self, statement: str, rows: Iterable[Sequence[Any]]) -> int:
        """Run a statement once per row of values. Return the number of rows it touched."""
        with self.reading() as connection:
            number = self.number(connection)
            return max(0, connection.executemany(statement, [(number, *row) for row in rows]).rowcount)

    def must_know(self, keys: Iterable[int]) -> None:
        """Raise NotFoundError unless every key is in the namespace."""
        wanted = sorted(set(keys))
        known = {row[0] for row in self.rows(sql.memories.known, listed(wanted))}
        for key in wanted:
            if key not in known:
                raise missing(key, self.name)
