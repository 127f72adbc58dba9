"""One transaction and the namespace that it sees: the only place that restricts statements to a namespace.

The rows of a namespace carry its number, which `of_*` bind as $1. For every role but the owner of the tables,
row-level security lets through no row of another number, whatever a statement says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from psycopg import Connection, Error

from combray.errors import NotFoundError
from combray.stores.postgres import sql
from combray.stores.postgres.pool import Pool, Row


class State(NamedTuple):
    """A row of the table `namespace`; its columns mean the same as in SQLite."""

    number: int
    revision: int
    epoch: int
    reindexed: int


def digest(result: Any) -> Any:
    """Return what two equal results of a statement have in common. Long ones are not kept in memory."""
    try:
        return hash(tuple(result)) if isinstance(result, list) else result
    except TypeError:  # it holds lists
        return result


def missing(key: int, namespace: str) -> NotFoundError:
    """Return the error for a key that is not in the namespace."""
    return NotFoundError(f"memory key {key} is not in namespace {namespace!r}. Read its key again by its id.")


Step = Callable[["Session"], Any]
"""Runs one statement on the session's connection, and returns what it gave."""


class Session:
    """An open transaction.

    `recover` is called with the error of a failed statement. It may begin the transaction anew, on another
    connection, and returns; then the statement is run again. Otherwise it raises.
    """

    def __init__(
        self, connection: Connection[Row], pool: Pool, name: str = "", state: State | None = None
    ) -> None:
        self.connection = connection
        self.pool = pool
        """Where the connection goes back to."""
        self.name = name
        self.state = state
        self.recover: Callable[[Session, Error], None] | None = None
        self.done: list[tuple[Step, Any]] | None = None
        """The statements of a write with the digests of what they returned; None in a read."""
        self.before: dict[int, dict[int, bytes]] = {}
        """Model -> key -> committed code of the vectors that this transaction has changed on the server."""
        self.models: dict[str, tuple[int, int]] | None = None
        """Number and dimensions of the store's models, which never change; None in a write, which may add one."""

    @property
    def number(self) -> int | None:
        """The namespace's number; None, which no row equals, before the first write to it."""
        return None if self.state is None else self.state.number

    def rows(self, statement: str, *values: Any) -> list[Row]:
        """Return all rows of a statement."""
        # Statements come from files and fixed fragments; values are bound.
        text = statement.encode()
        found: list[Row] = self._step(lambda own: own.connection.execute(text, values, binary=True).fetchall())
        return found

    def run(self, statement: str, *values: Any) -> int:
        """Run a statement. Return the number of rows that it touched."""
        text = statement.encode()
        return int(self._step(lambda own: max(0, own.connection.execute(text, values).rowcount)))

    def numbers(self, statement: str, *values: Any) -> list[int]:
        """Return numbers of a sequence. They stay the same in a transaction that is begun anew."""
        text = statement.encode()
        found = self._step(lambda own: own.connection.execute(text, values).fetchall(), is_repeated=False)
        return [int(row[0]) for row in found]

    def _step(self, step: Step, *, is_repeated: bool = True) -> Any:
        while True:
            try:
                result = step(self)
            except Error as error:
                if self.recover is None:
                    raise
                self.recover(self, error)
            else:
                if self.done is not None and is_repeated:
                    self.done.append((step, digest(result)))
                return result

    def of_rows(self, statement: str, *values: Any) -> list[Row]:
        """Return all rows of a statement on the namespace."""
        text = statement.encode()
        found: list[Row] = self._step(
            lambda own: own.connection.execute(text, (own.number, *values), binary=True).fetchall()
        )
        return found

    def of_row(self, statement: str, *values: Any) -> Row | None:
        """Return the first row of a statement on the namespace, or None."""
        found = self.of_rows(statement, *values)
        return found[0] if found else None

    def of_run(self, statement: str, *values: Any) -> int:
        """Run a statement on the namespace. Return the number of rows that it touched."""
        text = statement.encode()
        return int(self._step(lambda own: max(0, own.connection.execute(text, (own.number, *values)).rowcount)))

    def of_each(self, statement: str, rows: Iterable[Sequence[Any]]) -> int:
        """Run a statement on the namespace once per row of values, in one round trip."""
        given = [tuple(row) for row in rows]
        if not given:
            return 0

        def step(own: Session) -> int:
            with own.connection.cursor() as cursor:
                cursor.executemany(statement.encode(), [(own.number, *row) for row in given])
                return max(0, cursor.rowcount)

        return int(self._step(step))

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
        # A failure here is the caller's: nothing was read yet.
        found = self.connection.execute(sql.namespaces.state.encode(), (self.name,), binary=True).fetchall()
        self.state = State(*found[0][:4]) if found else None
