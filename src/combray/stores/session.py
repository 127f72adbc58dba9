"""One transaction and the namespace that it sees, as readers and writers use it in every database."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

from combray.errors import NotFoundError
from combray.language.indexing import IndexEntry
from combray.stores.conditions import Fragment
from combray.stores.statements import Sql
from combray.where import Condition

Row = tuple[Any, ...]


class NamespaceState(NamedTuple):
    """A row of the table `namespace`: its number, and counters of commits, erasures and changed words."""

    number: int
    revision: int
    epoch: int
    reindexed: int


def missing(key: int, namespace: str) -> NotFoundError:
    """Return the error for a key that is not in the namespace."""
    return NotFoundError(f"memory key {key} is not in namespace {namespace!r}. Read its key again by its id.")


class StoreSession(ABC):
    """An open transaction: the only place that restricts statements to a namespace.

    The rows of a namespace carry its number, which the methods `of_*` bind as the first parameter. A list is one
    parameter. What runs `later` may wait for the next statement that returns something, at the latest for the
    commit.
    """

    sql: ClassVar[Sql]
    separators: ClassVar[tuple[str, ...]] = ("\0",)
    """What stands between the columns of a row where the database keeps them."""
    term_table: ClassVar[str]
    """The table of the keyword index."""
    name: str

    @property
    def number(self) -> int | None:
        """The namespace's number; None, which no row equals, before the first write to it."""
        return None if self.state is None else self.state.number

    @property
    @abstractmethod
    def state(self) -> NamespaceState | None:
        """The state of the namespace when the transaction began; None before the first write to it."""

    @abstractmethod
    def rows(self, statement: str, *values: Any) -> list[Row]:
        """Return all rows of a statement that is not on one namespace."""

    @abstractmethod
    def run(self, statement: str, *values: Any) -> int:
        """Run a statement that is not on one namespace. Return the number of rows that it touched."""

    @abstractmethod
    def stream(self, statement: str) -> Iterable[Row]:
        """Return the rows of a statement that is not on one namespace, without holding all of them at once."""

    @abstractmethod
    def of_rows(self, statement: str, *values: Any) -> list[Row]:
        """Return all rows of a statement on the namespace."""

    @abstractmethod
    def of_run(self, statement: str, *values: Any) -> int:
        """Run a statement on the namespace. Return the number of rows that it touched."""

    @abstractmethod
    def of_later(self, statement: str, *values: Any) -> None:
        """Run a statement on the namespace, later."""

    @abstractmethod
    def of_each_later(self, statement: str, rows: Iterable[Sequence[Any]]) -> None:
        """Run a statement on the namespace once per row of values, later."""

    @abstractmethod
    def of_table_later(self, statement: str, rows: Iterable[Sequence[Any]], *values: Any) -> None:
        """Run a statement that stores a table of rows, later. `values` come before each row."""

    @abstractmethod
    def model(self, name: str) -> tuple[int, int] | None:
        """Return the number and the dimensions of a model; None before its first vector."""

    @abstractmethod
    def holding(self, terms: Sequence[str]) -> Mapping[str, int]:
        """Return how many memories of the namespace the keyword index has for each term."""

    @abstractmethod
    def add_terms(self, entries: Sequence[tuple[int, IndexEntry]]) -> None:
        """Put memories, by key, into the keyword index, later."""

    @abstractmethod
    def remove_terms(self, entries: Sequence[tuple[int, IndexEntry]]) -> None:
        """Remove memories from the keyword index, later. The entries are those that were indexed."""

    @abstractmethod
    def condition(self, condition: Condition, since: int = -1) -> Fragment:
        """Return a condition as an expression over the rows of `memory` with a revision after `since`."""

    @abstractmethod
    def numbered(self, text: str, first: int) -> str:
        """Number the question marks of an expression as parameters of the database."""

    def of_row(self, statement: str, *values: Any) -> Row | None:
        """Return the first row of a statement on the namespace, or None."""
        found = self.of_rows(statement, *values)
        return found[0] if found else None

    def must_know(self, keys: Iterable[int]) -> None:
        """Raise NotFoundError unless every key is in the namespace."""
        wanted = sorted({int(key) for key in keys})
        known = {row[0] for row in self.of_rows(self.sql.memories.known, wanted)} if wanted else set()
        for key in wanted:
            if key not in known:
                raise missing(key, self.name)


S = TypeVar("S", bound=StoreSession)
"""A transaction of a database."""


class Tables(Generic[S]):
    """Tables of one namespace. `open_session` opens a transaction that sees one unchanging state."""

    def __init__(self, sql: Sql, open_session: Callable[[], AbstractContextManager[S]]) -> None:
        self.sql = sql
        self.open_session = open_session

    def _rows(self, statement: str, *values: Any) -> list[Row]:
        with self.open_session() as session:
            return session.of_rows(statement, *values)
