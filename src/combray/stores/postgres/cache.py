"""Cache of one namespace: columns and vector matrices, updated by revision."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from combray.errors import CorruptStoreError
from combray.stores.columns import Columns
from combray.stores.matrix import Matrix
from combray.stores.postgres import nearness, sql
from combray.stores.postgres.adapters import unescaped
from combray.stores.postgres.nearness import Presence, Remote
from combray.stores.postgres.postings import PostingCache
from combray.stores.postgres.session import Session
from combray.stores.rows import with_scopes
from combray.stores.selections import Selections
from combray.stores.snapshot import Snapshot

_MOST_IDS = 20_000
"""Ids that are kept. When more are read, all are dropped."""


class NamespaceCache:
    """Everything in this cache can be dropped at any time and is read again.

    `on_foreign` is called when a cache that was filled finds writes of other processes.
    """

    def __init__(
        self, name: str, *, indexed: bool = False, on_foreign: Callable[[], None] = lambda: None
    ) -> None:
        self.name = name
        self._indexed = indexed
        """Whether the vectors of a large namespace stay on the server."""
        self._on_foreign = on_foreign
        self.number = -1
        self.own_writes = 0
        """Writes that this process has committed since the last catch-up."""
        self.lock = threading.RLock()
        self.drop()

    @property
    def revision(self) -> int:
        """The latest revision that was read."""
        return self._columns.revision

    def drop(self) -> None:
        """Clear the cache."""
        with self.lock:
            self.postings = PostingCache()
            self.selections = Selections()
            self._columns = Columns(plain=unescaped)
            self._matrices: dict[str, Matrix | Presence] = {}
            self._ids: dict[int, str] = {}
            self._has_names = (-1, True)
            """Revision, and whether the namespace has declared or learned names at it."""

    def catch_up(self, session: Session, *, behind: int = 0) -> Snapshot:
        """Return the columns in the state that the transaction sees, `behind` revisions before it.

        A read that began before another thread's read updated the cache begins anew: dropping the cache for it
        would cost a second.
        """
        with self.lock:
            if not behind and session.state and session.state.revision < self._columns.revision:
                session.renew()
            state = session.state
            if state is None:
                return Columns().snapshot()
            revision = state.revision - behind
            fresh = state.epoch != self._columns.epoch or state.number != self.number
            if fresh or revision < self._columns.revision:
                self.drop()
                self._columns.epoch = state.epoch
                self.number = state.number
            if revision > self._columns.revision:
                if self._columns.revision >= 0 and revision - self._columns.revision > self.own_writes:
                    self._on_foreign()
                self.own_writes = 0
                self._absorb(session, revision, state.reindexed)
            return self._columns.snapshot()

    def _absorb(self, session: Session, revision: int, reindexed: int) -> None:
        """Read what was written up to a revision, in one round trip."""
        held = [
            (each, session.models[name][0]) for name, each in self._matrices.items() if name in session.models
        ]
        held = [(each, model) for each, model in held if each.revision >= 0]
        rows, named, *codes = session.of_several(
            (sql.memories.columns, self._columns.revision),
            (sql.aliases.any,),
            *((_statement(each), model, revision, each.revision) for each, model in held),
        )
        try:
            self._columns.absorb(with_scopes(rows))
        except (LookupError, ValueError, TypeError, OverflowError) as error:
            self.drop()
            raise CorruptStoreError(
                f"namespace {self.name!r} holds a memory that cannot be read ({error!r}). Restore a backup."
            ) from error
        self._columns.revision, self._columns.reindexed = revision, reindexed
        self._has_names = revision, bool(named)
        newest = self._columns.snapshot()
        for (each, _), found in zip(held, codes, strict=True):
            _update(each, found, newest, revision)

    def warm(self, session: Session) -> None:
        """Catch up what was read before: columns and vectors."""
        if self._columns.revision >= 0:
            self.catch_up(session)

    def has_names(self, session: Session) -> bool:
        """Return whether the namespace has declared or learned names."""
        revision, has = self._has_names
        if session.state is not None and session.state.revision == revision:
            return has
        return bool(session.of_rows(sql.aliases.any))

    def ids(self, session: Session, keys: list[int]) -> dict[int, str]:
        """Return the ids of committed memories by key. A memory never changes its id."""
        state = session.state
        with self.lock:
            current = state is not None and (state.number, state.epoch) == (self.number, self._columns.epoch)
            known = {key: self._ids[key] for key in keys if key in self._ids} if current else {}
        if len(known) < len(keys):
            found: dict[int, str] = dict(
                session.of_rows(sql.memories.ids, [key for key in keys if key not in known])
            )
            known |= found
            if current:
                self.keep_ids(session, found)
        return known

    def keep_ids(self, session: Session, ids: dict[int, str]) -> None:
        """Keep ids that the transaction has read."""
        with self.lock:
            if session.state is not None and session.state.epoch == self._columns.epoch:
                if len(self._ids) + len(ids) > _MOST_IDS:
                    self._ids = {}
                self._ids |= ids

    def matrix(self, session: Session, model: str, snapshot: Snapshot) -> Matrix | Remote | None:
        """Return the vectors of a model, one row per slot; None if no vector of it was ever stored."""
        held = self._held(session, model, snapshot)
        if isinstance(held, Presence):
            return Remote(session, (session.model(model) or (0, 0))[0], snapshot, held)
        return held

    def _held(self, session: Session, model: str, snapshot: Snapshot) -> Matrix | Presence | None:
        with self.lock:
            known = session.model(model) if snapshot.count else None
            if known is None:
                return None
            number, dimensions = known
            newest = self._columns.snapshot()
            # By the newest count: a namespace that has outgrown the memory does not go back to it.
            kind = Presence if self._indexed and newest.count > nearness.RESIDENT else Matrix
            if snapshot.epoch != newest.epoch or snapshot.count > newest.count:
                # Another thread has read an erasure since: slots refer to different memories now.
                return self._filled(kind(dimensions), session, number, snapshot, snapshot)
            matrix = self._matrices.get(model)
            if not isinstance(matrix, kind) or matrix.dimensions != dimensions:
                matrix = kind(dimensions)
            # The columns may be newer than this reader's snapshot.
            self._matrices[model] = self._filled(matrix, session, number, snapshot, newest)
            return matrix

    def _filled(
        self, matrix: Matrix | Presence, session: Session, model: int, upto: Snapshot, slots_in: Snapshot
    ) -> Matrix | Presence:
        if matrix.revision >= upto.revision:
            return matrix
        if matrix.revision < 0:
            every = sql.vectors.all_until if isinstance(matrix, Matrix) else sql.near.present
            rows = session.of_rows(every, model, upto.revision)
        else:
            rows = session.of_rows(_statement(matrix), model, upto.revision, matrix.revision)
        _update(matrix, rows, slots_in, upto.revision)
        return matrix


def _statement(matrix: Matrix | Presence) -> str:
    """Return the statement for what was written between two revisions."""
    return sql.vectors.new_between if isinstance(matrix, Matrix) else sql.near.present_between


def _update(matrix: Matrix | Presence, rows: list[Any], slots_in: Snapshot, revision: int) -> None:
    slots = slots_in.slots(np.array([row[0] for row in rows], dtype=np.int64))
    matrix.update(slots, [row[1] for row in rows], slots_in.count)
    matrix.revision = revision
