"""One transaction and the namespace that it sees: the only place that restricts statements to a namespace.

The rows of a namespace carry its number, which `of_*` bind as $1. For every role but the owner of the tables,
row-level security lets through no row of another number, whatever a statement says.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from psycopg import Connection

from combray.errors import NotFoundError
from combray.stores.postgres import sql

Row = tuple[Any, ...]


class State(NamedTuple):
    """A row of the table `namespace`; its columns mean the same as in SQLite."""

    number: int
    revision: int
    epoch: int
    reindexed: int


def missing(key: int, namespace: str) -> NotFoundError:
    """Return the error for a key that is not in the namespace."""
    return NotFoundError(f"memory key {key} is not in namespace {namespace!r}. Read its key again by its id.")


class Session:
    """An open transaction."""

    def __init__(self, connection: Connection[Row], name: str = "", state: State | None = None) -> None:
        self.connection = connection
        self.name = name
        self.state = state
        self.models: dict[str, tuple[int, int]] | None = None
        """Number and dimensions of the store's models, which never change; None in a write, which may add one."""

    @property
    def number(self) -> int | None:
        """The namespace's number; None, which no row equals, before the first write to it."""
        return None if self.state is None else self.state.number

    def rows(self, statement: str, *values: Any) -> list[Row]:
        """Return all rows of a statement."""
        # Statements come from files and fixed fragments; values are bound.
        return self.connection.execute(statement.encode(), values, binary=True).fetchall()

    def run(self, statement: str, *values: Any) -> int:
        """Run a statement. Return the number of rows that it touched."""
        return max(0, self.connection.execute(statement.encode(), values).rowcount)

    def of_rows(self, statement: str, *values: Any) -> list[Row]:
        """Return all rows of a statement on the namespace."""
        return self.rows(statement, self.number, *values)

    def of_row(self, statement: str, *values: Any) -> Row | None:
        """Return the first row of a statement on the namespace, or None."""
        found = self.of_rows(statement, *values)
        return found[0] if found else None

    def of_run(self, statement: str, *values: Any) -> int:
        """Run a statement on the namespace. Return the number of rows that it touched."""
        return self.run(statement, self.number, *values)

    def of_each(self, statement: str, rows: Iterable[Sequence[Any]]) -> int:
        """Run a statement on the namespace once per row of values, in one round trip."""
        given = [(self.number, *row) for row in rows]
        if not given:
            return 0
        with self.connection.cursor() as cursor:
            cursor.executemany(statement.encode(), given)
            return max(0, cursor.rowcount)

    def model(self, name: str) -> tuple[int, int] | None:
        """Return the number and the dimensions of a model; None before its first vector."""
        if self.models is not None and name in self.models:
            return self.models[name]
        found = self.rows(sql.vectors.model, name)
        if not found:
            return None
        known = int(found[0][0]), int(found[0][1])
        if self.models is not None:
            self.models[name] = known
        return known

    def must_know(self, keys: Iterable[int]) -> None:
        """Raise NotFoundError unless every key is in the namespace."""
        wanted = sorted({int(key) for key in keys})
        known = {row[0] for row in self.of_rows(sql.memories.known, wanted)} if wanted else set()
        for key in wanted:
            if key not in known:
                raise missing(key, self.name)

    def renew(self) -> None:
        """End a read and begin another, which sees everything committed until now."""
        self.connection.execute("COMMIT")
        self.connection.execute(sql.server.begin_read.encode())
        self.look()

    def look(self) -> None:
        """Read the state of the namespace, and show its rows to this transaction."""
        found = self.rows(sql.namespaces.state, self.name)
        self.state = State(*found[0][:4]) if found else None
