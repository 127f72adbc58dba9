"""Cache of one namespace: columns and vector matrices, updated by revision."""

from __future__ import annotations

import sqlite3
import threading

import numpy as np

from combray.errors import CorruptStoreError
from combray.stores.columns import Columns
from combray.stores.matrix import Matrix
from combray.stores.snapshot import Snapshot
from combray.stores.sqlite import sql
from combray.stores.sqlite.postings import PostingCache
from combray.stores.sqlite.rows import with_scopes
from combray.stores.sqlite.selections import Selections


class NamespaceCache:
    """Everything in this cache can be dropped at any time and is read again."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.number = -1
        self.lock = threading.RLock()
        self.drop()

    def drop(self) -> None:
        """Clear the cache."""
        with self.lock:
            self.postings = PostingCache()
            self.selections = Selections()
            self._columns = Columns()
            self._matrices: dict[str, Matrix] = {}

    def catch_up(self, connection: sqlite3.Connection) -> Snapshot:
        """Return the columns in the state that the connection's transaction sees."""
        with self.lock:
            row = connection.execute(sql.namespaces.state, (self.name,)).fetchone()
            if row is None:
                return Columns().snapshot()
            number, revision, epoch, reindexed = row
            if epoch != self._columns.epoch or number != self.number or revision < self._columns.revision:
                self.drop()
                self._columns.epoch = epoch
                self.number = number
            if revision > self._columns.revision:
                rows = connection.execute(sql.memories.columns, (number, self._columns.revision)).fetchall()
                try:
                    self._columns.absorb(with_scopes(rows))
                except (LookupError, ValueError, TypeError, OverflowError) as error:
                    self.drop()
                    raise CorruptStoreError(
                        f"namespace {self.name!r} holds a memory that cannot be read ({error!r}). "
                        "Restore a backup."
                    ) from error
                self._columns.revision, self._columns.reindexed = revision, reindexed
            return self._columns.snapshot()

    def matrix(self, connection: sqlite3.Connection, model: str, snapshot: Snapshot) -> Matrix | None:
        """Return the vectors of a model, one row per slot; None if no vector of it was ever stored."""
        with self.lock:
            known = connection.execute(sql.vectors.model, (model,)).fetchone()
            if known is None or not snapshot.count:
                return None
            number, dimensions = known
            newest = self._columns.snapshot()
            if snapshot.epoch != newest.epoch or snapshot.count > newest.count:
                # Another thread has read an erasure since: slots refer to different memories now.
                return self._filled(Matrix(dimensions), connection, number, snapshot, snapshot)
            matrix = self._matrices.get(model)
            if matrix is None or matrix.dimensions != dimensions:
                matrix = Matrix(dimensions)
            # The columns may be newer than this reader's snapshot.
            self._matrices[model] = self._filled(matrix, connection, number, snapshot, newest)
            return matrix

    def _filled(
        self, matrix: Matrix, connection: sqlite3.Connection, model: int, upto: Snapshot, slots_in: Snapshot
    ) -> Matrix:
        if matrix.revision >= upto.revision:
            return matrix
        place = (self.number, model, upto.revision)
        if matrix.revision < 0:
            rows = connection.execute(sql.vectors.all_until, place).fetchall()
        else:
            rows = connection.execute(sql.vectors.new_between, (*place, matrix.revision)).fetchall()
        slots = slots_in.slots(np.array([row[0] for row in rows], dtype=np.int64))
        inside = slots >= 0
        codes = [row[1] for row, wanted in zip(rows, inside, strict=True) if wanted]
        slots = slots[inside]
        has = np.array([code is not None for code in codes], dtype=np.bool_)
        matrix.put(slots[has], [code for code in codes if code is not None], slots_in.count)
        matrix.clear(slots[~has])
        matrix.revision = upto.revision
        return matrix
