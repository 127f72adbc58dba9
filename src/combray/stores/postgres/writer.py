"""One open write transaction on one namespace."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

from combray.errors import InvalidInputError
from combray.stores.postgres.cache import PostgresNamespaceCache
from combray.stores.postgres.nearness import Remote
from combray.stores.postgres.reader import PostgresReader
from combray.stores.postgres.session import PostgresSession
from combray.stores.postgres.sql import sql
from combray.stores.writer import Edge, Edges, StoredWriter
from combray.types import EDGE_TYPES


class PostgresWriter(StoredWriter[PostgresSession, PostgresNamespaceCache], PostgresReader):
    """Implements `runtime.Writer`. Holds the namespace's row locked, so that nobody else writes to it."""

    def __init__(self, cache: PostgresNamespaceCache, session: PostgresSession) -> None:
        PostgresReader.__init__(self, session.name, cache, lambda: nullcontext(session))
        revision = session.state.revision if session.state else 0
        self._begin(session, cache.catch_up(session, behind=1), revision)
        self.new_model = False
        self._joined: set[Edge] = set()
        """Edges of added memories."""

    def naming(self, entities: Sequence[str], per_entity: int) -> dict[str, tuple[int, list[int]]]:
        folded = {entity: entity.casefold() for entity in entities}
        rows = self.session.of_rows(sql.labels.naming, list(dict.fromkeys(folded.values())), per_entity)
        found = {name: (int(count), [int(key) for key in newest]) for name, count, newest in rows}
        return {entity: found[name] for entity, name in folded.items()}

    def _add_rows(self, ids: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> list[int]:
        known, keys = self.session.of_rows_and_keys((sql.memories.ids_among, list(ids)), len(ids))
        self._refuse_known(ids, {str(row[0]) for row in known})
        self.session.of_each_later(
            sql.memories.add, [(*row[1:], key) for row, key in zip(rows, keys, strict=True)]
        )
        return keys

    def _refuse_known(self, ids: Sequence[str], taken: set[str]) -> None:
        """Raise InvalidInputError for an id that exists, before the database would end the transaction."""
        for each in ids:
            if each in taken:
                raise InvalidInputError("id", f"{each!r} already exists in namespace {self.namespace!r}.")
            taken.add(each)

    def _hold(self, model: str, keys: Sequence[int]) -> None:
        # Where the vectors stay on the server, its searches are of what was committed too.
        held = self.cache.matrix(self.session, model, self._snapshot)
        if isinstance(held, Remote):
            before = self.session.before.setdefault(held.model, {})
            new = [int(key) for key in keys if int(key) not in before and key not in self._added]
            before.update(self.session.of_rows(sql.vectors.codes, held.model, new))

    def _add_model(self, name: str, dimensions: int) -> tuple[int, int]:
        (number,) = self.session.numbers(sql.vectors.next_model)
        self.session.later(sql.vectors.add_model, number, name, dimensions)
        self.new_model = True
        return self.session.model(name) or (0, 0)

    def _put_edges(self, edges: Edges, at: int) -> int:
        # The server is asked how many are new unless all of them touch an added memory.
        columns = [list(column) for column in zip(*(edge + rest for edge, rest in edges.items()), strict=True)]
        if all(edge[0] in self._added or edge[1] in self._added for edge in edges):
            self.session.of_later(sql.edges.put, *columns, at)
            before, self._joined = len(self._joined), self._joined.union(edges)
            return len(self._joined) - before
        self._joined |= set(edges)
        ((new,),) = self.session.of_rows(sql.edges.put, *columns, at)
        return int(new)

    def unlink(self, source: int, target: int, type_: str) -> int:
        gone = source, target, EDGE_TYPES.index(type_)
        self._joined = {edge for edge in self._joined if edge[:3] != gone}
        return super().unlink(source, target, type_)
