"""Cache of one namespace: columns and vector matrices, updated by revision."""

from __future__ import annotations

import threading

import numpy as np

from combray.errors import CorruptStoreError
from combray.stores.columns import Columns
from combray.stores.matrix import Matrix
from combray.stores.postgres import nearness, sql
from combray.stores.postgres.nearness import Presence, Remote
from combray.stores.postgres.postings import PostingCache
from combray.stores.postgres.session import Session
from combray.stores.rows import with_scopes
from combray.stores.selections import Selections
from combray.stores.snapshot import Snapshot


class NamespaceCache:
    """Everything in this cache can be dropped at any time and is read again."""

    def __init__(self, name: str, *, indexed: bool = False) -> None:
        self.name = name
        self._indexed = indexed
        """Whether the vectors of a large namespace stay on the server."""
        self.number = -1
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
            self._columns = Columns()
            self._matrices: dict[str, Matrix | Presence] = {}

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
                rows = session.of_rows(sql.memories.columns, self._columns.revision)
                try:
                    self._columns.absorb(with_scopes(rows))
                except (LookupError, ValueError, TypeError, OverflowError) as error:
                    self.drop()
                    raise CorruptStoreError(
                        f"namespace {self.name!r} holds a memory that cannot be read ({error!r}). "
                        "Restore a backup."
                    ) from error
                self._columns.revision, self._columns.reindexed = revision, state.reindexed
            return self._columns.snapshot()

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
        is_matrix = isinstance(matrix, Matrix)
        if matrix.revision < 0:
            rows = session.of_rows(sql.vectors.all_until if is_matrix else sql.near.present, model, upto.revision)
        else:
            statement = sql.vectors.new_between if is_matrix else sql.near.present_between
            rows = session.of_rows(statement, model, upto.revision, matrix.revision)
        slots = slots_in.slots(np.array([row[0] for row in rows], dtype=np.int64))
        matrix.update(slots, [row[1] for row in rows], slots_in.count)
        matrix.revision = upto.revision
        return matrix
