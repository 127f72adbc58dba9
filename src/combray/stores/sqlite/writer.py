"""One open write transaction on one namespace."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from typing import Any

from combray.errors import InvalidInputError
from combray.stores.indexes import Indexed
from combray.stores.rows import column_row
from combray.stores.sqlite.cache import SqliteNamespaceCache
from combray.stores.sqlite.encryption import errors
from combray.stores.sqlite.erasing import note_due
from combray.stores.sqlite.reader import SqliteReader
from combray.stores.sqlite.session import SqliteSession
from combray.stores.sqlite.sql import sql
from combray.stores.writer import Edges, StoredWriter
from combray.types import Memory


class SqliteWriter(StoredWriter[SqliteSession, SqliteNamespaceCache], SqliteReader):
    """Implements `runtime.Writer`. Reads use the write connection."""

    def __init__(self, cache: SqliteNamespaceCache, session: SqliteSession) -> None:
        if session.state is None:
            session.run(sql.namespaces.add, session.name)
            del session.state
        SqliteReader.__init__(self, session.name, cache, lambda: nullcontext(session))
        self._begin(session, cache.catch_up(session), (session.state.revision if session.state else 0) + 1)
        self._indexed: list[Indexed] = []
        self._rewords = False
        """Whether it has changed the words of a memory."""
        session.of_later(sql.namespaces.set_revision, self.revision_now)

    def contents(self, keys: Iterable[int]) -> list[str]:
        wanted = list(keys)
        # What is written here may be rolled back, and the key of a new memory given to another one.
        if self.erased or self._rewords or not self._added.keys().isdisjoint(wanted):
            return super().contents(wanted)
        return self._kept(sql.memories.contents, wanted, self.cache.texts, self._snapshot)

    def naming(self, entities: Sequence[str], per_entity: int) -> dict[str, tuple[int, list[int]]]:
        folded = {entity: entity.casefold() for entity in entities}
        wanted = list(dict.fromkeys(folded.values()))
        rows = self.session.of_rows(sql.labels.naming, wanted, per_entity) if wanted else []
        found = {
            name: (int(count), sorted(map(int, newest.split(",")), reverse=True) if newest else [])
            for name, count, newest in rows
        }
        return {entity: found[name] for entity, name in folded.items()}

    def committed(self) -> None:
        """Give the cache what this transaction has added. Called after its commit."""
        with self.cache.lock:
            if self.adds_only and not self.queue.activates:
                self.cache.take(
                    self.revision_now, [column_row(*each) for each in self._indexed], self._stored_codes
                )
            self.cache.postings.offer({key: entry.fields for key, _, entry in self._indexed})
            if len(self._indexed) == 1:
                # The next writes compare themselves with it.
                self.cache.texts.add({key: memory.content for key, memory, _ in self._indexed})

    def _add_rows(self, ids: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> list[int]:
        keys = []
        for each, row in zip(ids, rows, strict=True):
            try:
                keys.append(int(self.session.connection.execute(sql.memories.add, row).lastrowid or 0))
            except errors("IntegrityError") as error:
                problem = f"{each!r} already exists in namespace {self.namespace!r}."
                raise InvalidInputError("id", problem) from error
        return keys

    def _index(self, added: Sequence[Indexed]) -> None:
        super()._index(added)
        self._indexed += added

    def _index_again(self, key: int, old: Memory) -> None:
        self._rewords = True
        super()._index_again(key, old)

    def _add_model(self, name: str, dimensions: int) -> tuple[int, int]:
        self.session.connection.execute(sql.vectors.add_model, (name, dimensions))
        return self.session.model(name) or (0, 0)

    def _hold(self, model: str, keys: Sequence[int]) -> None:  # noqa: ARG002 - of the base
        self.cache.vectors_of(self.session, model, self._snapshot)

    def _put_edges(self, edges: Edges, at: int) -> int:
        # An edge of a memory of this transaction cannot exist yet: no need to look it up.
        old = [each for each in edges if each[0] not in self._added and each[1] not in self._added]
        known = sum(self.session.rows(sql.edges.count_same, *each)[0][0] for each in old)
        rows = [(*edge, *rest, at) for edge, rest in edges.items()]
        self.session.connection.executemany(sql.edges.put, rows)
        return len(edges) - int(known)

    def _erase(self, keys: Sequence[int]) -> list[str]:
        ids = super()._erase(keys)
        if ids:
            self.session.connection.execute(sql.terms.rewrite)
            note_due(self.session.connection)
        return ids
