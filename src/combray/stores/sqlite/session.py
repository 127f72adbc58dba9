"""One transaction on the file and the namespace that it sees.

The number of the namespace restricts reads and writes in two ways: a statement on its rows takes the number as
?1, and a term of the keyword index begins with it (`term`). Columns, vectors and posting lists in memory
(`cache.py`) belong to one namespace each and are filled by such statements. A test checks that every statement on
a table with a namespace either uses ?1 or names keys.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from combray.language.indexing import IndexEntry
from combray.stores.conditions import Fragment, numbered
from combray.stores.rows import listed
from combray.stores.session import NamespaceState, Row, StoreSession
from combray.stores.sqlite.postings import read_holding, term
from combray.stores.sqlite.sql import SqliteConditions, sql
from combray.where import Condition


class SqliteSession(StoreSession):
    """Implements `stores.session.Session`. Statements run at once."""

    sql = sql
    # In the file the columns of a row touch: the end of an id and the start of a text can spell a word.
    separators = ("\0", "")
    term_table = "term_index"

    def __init__(
        self,
        connection: sqlite3.Connection,
        name: str,
        models: dict[str, tuple[int, int]] | None = None,
        *,
        writes: bool = False,
    ) -> None:
        self.connection = connection
        self.name = name
        self._models = {} if models is None else models
        """Numbers and dimensions of models as committed. They never change."""
        self._writes = writes

    # Read once: it may change later in a write.
    @cached_property
    def state(self) -> NamespaceState | None:
        row = self.connection.execute(sql.namespaces.state, (self.name,)).fetchone()
        return None if row is None else NamespaceState(*row)

    def rows(self, statement: str, *values: Any) -> list[Row]:
        return self.connection.execute(statement, _bound(values)).fetchall()

    def run(self, statement: str, *values: Any) -> int:
        return max(0, self.connection.execute(statement, _bound(values)).rowcount)

    def stream(self, statement: str) -> Iterable[Row]:
        return self.connection.execute(statement)

    def of_rows(self, statement: str, *values: Any) -> list[Row]:
        return self.connection.execute(statement, (self.number, *_bound(values))).fetchall()

    def of_run(self, statement: str, *values: Any) -> int:
        return max(0, self.connection.execute(statement, (self.number, *_bound(values))).rowcount)

    def of_later(self, statement: str, *values: Any) -> None:
        self.connection.execute(statement, (self.number, *_bound(values)))

    def of_each_later(self, statement: str, rows: Iterable[Sequence[Any]]) -> None:
        self.of_table_later(statement, rows)

    def of_table_later(self, statement: str, rows: Iterable[Sequence[Any]], *values: Any) -> None:
        self.connection.executemany(statement, [(self.number, *values, *row) for row in rows])

    def model(self, name: str) -> tuple[int, int] | None:
        if name in self._models:
            return self._models[name]
        row = self.connection.execute(sql.vectors.model, (name,)).fetchone()
        if row is None:
            return None
        known = int(row[0]), int(row[1])
        # A write may be rolled back.
        if not self._writes:
            self._models[name] = known
        return known

    def holding(self, terms: Sequence[str]) -> Mapping[str, int]:
        number = self.number
        if number is None:
            return {}
        return {each: read_holding(self.connection, term(number, each)) for each in terms}

    def add_terms(self, entries: Sequence[tuple[int, IndexEntry]]) -> None:
        self.connection.executemany(sql.terms.add, map(self._term_row, entries))

    def remove_terms(self, entries: Sequence[tuple[int, IndexEntry]]) -> None:
        # The index keeps no copy of the texts.
        self.connection.executemany(sql.terms.remove, map(self._term_row, entries))

    def _term_row(self, one: tuple[int, IndexEntry]) -> tuple[Any, ...]:
        key, entry = one
        prefix = term(self.number or 0, "")
        return (key, *(" ".join([prefix + each for each in field]) for field in entry.fields))

    def condition(self, condition: Condition, since: int = -1) -> Fragment:  # noqa: ARG002 - of the protocol
        return SqliteConditions().expression(condition)

    def numbered(self, text: str, first: int) -> str:
        return numbered(text, first, "?")


def _bound(values: Sequence[Any]) -> Sequence[Any]:
    """Return the values of a statement; a list is one JSON parameter."""
    return [listed(each) if isinstance(each, list) else each for each in values]
