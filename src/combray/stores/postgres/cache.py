"""Cache of one namespace: columns and vectors, updated by revision."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, tzinfo
from typing import Any

import numpy as np

from combray.stores.cache import ColumnCache
from combray.stores.columns import Columns
from combray.stores.matrix import Matrix
from combray.stores.postgres import nearness
from combray.stores.postgres.nearness import Presence, Remote
from combray.stores.postgres.pool import unescaped
from combray.stores.postgres.postings import PostgresPostingCache
from combray.stores.postgres.session import PostgresSession
from combray.stores.postgres.sql import sql
from combray.stores.session import NamespaceState
from combray.stores.snapshot import Snapshot


class PostgresNamespaceCache(ColumnCache[PostgresSession, Matrix | Presence]):
    """`ColumnCache` with posting lists.

    `indexed`: the vectors of a large namespace stay on the server. `on_foreign` is called when a cache that was
    filled finds writes of other processes.
    """

    def __init__(
        self,
        name: str,
        *,
        indexed: bool = False,
        on_foreign: Callable[[], None] = lambda: None,
        zone: tzinfo = UTC,
    ) -> None:
        self._indexed = indexed
        self._on_foreign = on_foreign
        self.own_writes = 0
        """Writes that this process has committed since the last catch-up."""
        super().__init__(name, zone)

    def drop(self) -> None:
        """Clear the cache."""
        with self.lock:
            super().drop()
            self.postings = PostgresPostingCache()
            self._has_names = (-1, True)
            """Revision, and whether the namespace has declared or learned names at it."""

    def _empty_columns(self) -> Columns:
        return Columns(plain=unescaped)

    def _state(self, session: PostgresSession, behind: int) -> NamespaceState | None:
        # A read that began before another thread's read updated the cache begins anew: dropping the cache for it
        # would cost a second.
        if not behind and session.state and session.state.revision < self._columns.revision:
            session.renew()
        return session.state

    def _advance(self, session: PostgresSession, revision: int) -> None:
        """Read what was written up to a revision, in one round trip."""
        if self._columns.revision >= 0 and revision - self._columns.revision > self.own_writes:
            self._on_foreign()
        self.own_writes = 0
        held = [
            (each, session.models[name][0])
            for name, each in self._matrices.items()
            if name in session.models and each.revision >= 0
        ]
        rows, named, *codes = session.of_several(
            (sql.memories.columns, self._columns.revision),
            (sql.aliases.any,),
            *((_statement(each), model, revision, each.revision) for each, model in held),
        )
        self._absorb([rows], revision)
        self._has_names = revision, bool(named)
        newest = self._columns.snapshot()
        for (each, _), found in zip(held, codes, strict=True):
            _update(each, found, newest)
            each.revision = revision

    def warm(self, session: PostgresSession) -> None:
        """Catch up what was read before: columns and vectors."""
        if self._columns.revision >= 0:
            self.catch_up(session)

    def has_names(self, session: PostgresSession) -> bool:
        """Return whether the namespace has declared or learned names."""
        revision, has = self._has_names
        if session.state is not None and session.state.revision == revision:
            return has
        return bool(session.of_rows(sql.aliases.any))

    def matrix(self, session: PostgresSession, model: str, snapshot: Snapshot) -> Matrix | Remote | None:
        """Return the vectors of a model, one row per slot; None if no vector of it was ever stored."""
        held = self.vectors_of(session, model, snapshot)
        if isinstance(held, Presence):
            return Remote(session, (session.model(model) or (0, 0))[0], snapshot, held)
        return held

    def _kind(self, newest: Snapshot) -> type[Matrix] | type[Presence]:
        # By the newest count: a namespace that has outgrown the memory does not go back to it.
        return Presence if self._indexed and newest.count > nearness.RESIDENT else Matrix

    def _fill(
        self,
        vectors: Matrix | Presence,
        session: PostgresSession,
        model: int,
        revision: int,
        slots_in: Snapshot,
    ) -> None:
        if vectors.revision < 0:
            every = sql.vectors.all_until if isinstance(vectors, Matrix) else sql.near.present
            rows = session.of_rows(every, model, revision)
        else:
            rows = session.of_rows(_statement(vectors), model, revision, vectors.revision)
        _update(vectors, rows, slots_in)


def _statement(vectors: Matrix | Presence) -> str:
    """Return the statement for what was written between two revisions."""
    return sql.vectors.new_between if isinstance(vectors, Matrix) else sql.near.present_between


def _update(vectors: Matrix | Presence, rows: list[Any], slots_in: Snapshot) -> None:
    slots = slots_in.slots(np.array([row[0] for row in rows], dtype=np.int64))
    vectors.update(slots, [row[1] for row in rows], slots_in.count)
