"""One transaction and the namespace that it sees: the only place that restricts statements to a namespace.

The rows of a namespace carry its number, which `of_*` bind as $1. For every role but the owner of the tables,
row-level security lets through no row of another number, whatever a statement says. Statements are sent together:
libpq's pipeline mode needs one round trip for any number of them.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from psycopg import Connection, Cursor, Error

from combray.language.indexing import IndexEntry
from combray.records import dataclass
from combray.stores.conditions import Fragment, numbered
from combray.stores.postgres.listening import Listener, notify
from combray.stores.postgres.pool import PostgresPool
from combray.stores.postgres.sql import PostgresConditions, sql
from combray.stores.session import NamespaceState, Row, StoreSession
from combray.where import Condition

BITS = 15
"""Bits of the count of one field."""
MOST = 2**BITS - 1

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


def held(entry: IndexEntry) -> dict[str, int]:
    """Return how often each index field holds each term of a memory, as the column `held` packs it."""
    packed: dict[str, int] = {}
    for field, terms in enumerate(entry.fields):
        for term, count in Counter(terms).items():
            packed[term] = packed.get(term, 0) | min(count, MOST) << BITS * field
    return packed


def _term_rows(entries: Sequence[tuple[int, IndexEntry]]) -> list[tuple[str, int, int]]:
    """Return terms, keys and packed counts of memories."""
    return [(term, key, packed) for key, entry in entries for term, packed in held(entry).items()]


_BEGIN_READ = Statement(sql.server.begin_read.encode())


def digest(results: list[Any]) -> list[Any]:
    """Return what equal results of statements have in common. Long ones are not kept in memory."""
    return [_digest(each) for each in results]


def _digest(result: Any) -> Any:
    try:
        return hash(tuple(result)) if isinstance(result, list) else result
    except TypeError:  # it holds lists
        return result


def _of(statement: str, values: Sequence[Any]) -> Statement:
    return Statement(statement.encode(), values, gives_rows=True, is_of=True)


class PostgresSession(StoreSession):
    """Implements `stores.session.Session`. What runs later is sent with the next statement: one round trip.

    `recover` is called with the error of a failed statement. It may begin the transaction anew, on another
    connection, and returns; then the statement is run again. Otherwise it raises.
    """

    sql = sql
    term_table = "posting"
    state: NamespaceState | None = None

    def __init__(
        self, connection: Connection[Row], pool: PostgresPool, name: str = "", state: NamespaceState | None = None
    ) -> None:
        self.connection = connection
        self.pool = pool
        """Where the connection goes back to."""
        self.name = name
        self.state = state
        self.recover: Callable[[PostgresSession, Error], None] | None = None
        self.done: list[tuple[list[Statement], list[Any]]] | None = None
        """The statements of a write with the digests of what they returned; None in a read."""
        self.keys: list[int] = []
        """The keys that this transaction was given for new memories."""
        self.listener: Listener | None = None
        """Its channel is notified of each commit; None: nobody is."""
        self._pending: list[Statement] = []
        self.before: dict[int, dict[int, bytes]] = {}
        """Model -> key -> committed code of the vectors that this transaction has changed on the server."""
        self.models: dict[str, tuple[int, int]] = {}
        """Number and dimensions of the store's committed models, which never change. A write adds none."""

    def rows(self, statement: str, *values: Any) -> list[Row]:
        # Statements come from files and fixed fragments; values are bound.
        found: list[Row] = self._now(Statement(statement.encode(), values, gives_rows=True))
        return found

    def run(self, statement: str, *values: Any) -> int:
        return int(self._now(Statement(statement.encode(), values)))

    def numbers(self, statement: str, *values: Any) -> list[int]:
        """Return numbers of a sequence. They stay the same in a transaction that is begun anew."""
        found = self._now(Statement(statement.encode(), values, gives_rows=True), is_repeated=False)
        return [int(row[0]) for row in found]

    def of_rows_and_keys(self, asked: tuple[Any, ...], count: int) -> tuple[list[Row], list[int]]:
        """Return the rows of a statement on the namespace, and keys for new memories, in one round trip."""
        text, *given = asked
        take = Statement(sql.memories.next_keys.encode(), (count,), gives_rows=True)
        self._pending += [_of(text, given), take]
        rows, found = self._sent(is_repeated=False)[-2:]
        keys = [int(row[0]) for row in found]
        self.keys += keys
        return rows, keys

    def of_rows(self, statement: str, *values: Any) -> list[Row]:
        found: list[Row] = self._now(_of(statement, values))
        return found

    def of_rows_with(self, options: Mapping[str, object], statement: str, *values: Any) -> list[Row]:
        """Return all rows of a statement on the namespace. `enable_sort` holds for it alone, others longer."""
        place = len(self._pending) + 1
        given = list(options), [str(value) for value in options.values()]
        self._pending += [Statement(sql.near.configure.encode(), given, gives_rows=True), _of(statement, values)]
        self._pending.append(Statement(sql.near.restore.encode()))
        found: list[Row] = self._sent()[place]
        return found

    def of_several(self, *asked: tuple[Any, ...]) -> list[list[Row]]:
        """Return the rows of several statements on the namespace, each with its values, in one round trip."""
        last = len(self._pending)
        self._pending += [_of(statement, values) for statement, *values in asked]
        found: list[list[Row]] = self._sent()[last:]
        return found

    def of_run(self, statement: str, *values: Any) -> int:
        return int(self._now(Statement(statement.encode(), values, is_of=True)))

    def later(self, statement: str, *values: Any) -> None:
        """Run a statement with the next one that returns something, at the latest with the commit."""
        self._pending.append(Statement(statement.encode(), values))

    def of_later(self, statement: str, *values: Any) -> None:
        self._pending.append(Statement(statement.encode(), values, is_of=True))

    def of_each_later(self, statement: str, rows: Iterable[Sequence[Any]]) -> None:
        if given := [tuple(row) for row in rows]:
            self._pending.append(Statement(statement.encode(), given, is_of=True, is_each=True))

    def of_table_later(self, statement: str, rows: Iterable[Sequence[Any]], *values: Any) -> None:
        # One array for each column.
        if columns := [list(column) for column in zip(*rows, strict=True)]:
            self.of_later(statement, *values, *columns)

    def stream(self, statement: str) -> Iterable[Row]:
        return self.rows(statement)

    def holding(self, terms: Sequence[str]) -> Mapping[str, int]:
        return dict(self.of_rows(sql.terms.holding, list(terms))) if terms else {}

    def add_terms(self, entries: Sequence[tuple[int, IndexEntry]]) -> None:
        self.of_table_later(sql.terms.add, _term_rows(entries))

    def remove_terms(self, entries: Sequence[tuple[int, IndexEntry]]) -> None:
        self.of_table_later(sql.terms.remove, [row[:2] for row in _term_rows(entries)])

    def condition(self, condition: Condition, since: int = -1) -> Fragment:
        return PostgresConditions(self, since).expression(condition)

    def numbered(self, text: str, first: int) -> str:
        return numbered(text, first, "$")

    def _now(self, statement: Statement, *, is_repeated: bool = True) -> Any:
        self._pending.append(statement)
        return self._sent(is_repeated=is_repeated)[-1]

    def _sent(self, *, is_repeated: bool = True) -> list[Any]:
        """Send what is pending. `is_repeated`: the last statement is part of a transaction that is begun anew."""
        sent, self._pending = self._pending, []
        while True:
            try:
                results = run(self.connection, self.number, sent)
            except Error as error:
                if self.recover is None:
                    raise
                self.recover(self, error)
            else:
                break
        repeated = sent if is_repeated else sent[:-1]
        if self.done is not None and repeated:
            self.done.append((repeated, digest(results[: len(repeated)])))
        return results

    def flush(self) -> None:
        """Run what is pending."""
        if self._pending:
            self._sent()

    def repeat(self) -> bool:
        """Repeat the statements on the current connection. Return whether they gave the same results."""
        if self.keys:
            # A server that is killed may forget numbers of a sequence that no commit has used. A later memory
            # with a lower key would not be found.
            passed = Statement(sql.memories.pass_keys.encode(), (max(self.keys),), gives_rows=True)
            run(self.connection, self.number, [passed])
        for statements, results in self.done or ():
            if digest(run(self.connection, self.number, statements)) != results:
                return False
        return True

    def commit(self) -> None:
        """Commit with what is pending, which stays so after an error, and notify others."""
        done = None
        try:
            with self.connection.pipeline() as pipeline:
                start(self.connection, self.number, self._pending)
                done = self.connection.execute(b"COMMIT")
                if self.listener is not None and self.number is not None:
                    pipeline.sync()
                    notify(self.connection, self.listener.channel, self.listener.notice(self.number))
        except Error:
            if done is None or done.statusmessage != "COMMIT":
                raise

    def model(self, name: str) -> tuple[int, int] | None:
        if name in self.models:
            return self.models[name]
        found = self.rows(sql.vectors.model, name)
        if not found:
            return None
        known = int(found[0][0]), int(found[0][1])
        if self.done is None:
            self.models[name] = known
        return known

    def renew(self) -> None:
        """End a read and begin another, which sees everything committed until now."""
        self._look(Statement(b"COMMIT"), _BEGIN_READ)

    def look(self) -> None:
        """Read the state of the namespace, and show its rows to this transaction."""
        self._look()

    def begin_read(self) -> None:
        """Begin a transaction that sees one state of the database, and `look`."""
        self._look(_BEGIN_READ)

    def _look(self, *first: Statement) -> None:
        # A failure here is the caller's: nothing was read yet.
        asked = Statement(sql.namespaces.state.encode(), (self.name,), gives_rows=True)
        found = run(self.connection, None, [*first, asked])[-1]
        self.state = NamespaceState(*found[0][:4]) if found else None
