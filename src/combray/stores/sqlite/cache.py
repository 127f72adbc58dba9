"""Cache of one namespace: columns and vector matrices, mapped from a file and updated by revision."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from combray.errors import CorruptStoreError
from combray.stores.columns import Columns
from combray.stores.mapped import Mapped
from combray.stores.matrix import Matrix
from combray.stores.profile import profile
from combray.stores.rows import with_scopes
from combray.stores.selections import Selections
from combray.stores.snapshot import Snapshot
from combray.stores.sqlite import sql
from combray.stores.sqlite.postings import PostingCache
from combray.stores.texts import Texts

Find = Callable[[sqlite3.Connection, int, int, int], Mapped | None]
"""Returns the file of a namespace's number that fits an epoch and a revision; None if there is none."""
_LEAST, _MOST = 2_000, 8_000
"""Rows that are read faster than a file is opened, and rows that take a tenth of a second to read, whatever the
size of the namespace."""
_BLOCK = 20_000
"""Rows that are read at once. A row takes a kilobyte until it is in the columns."""


class NamespaceCache:
    """Everything in this cache can be dropped at any time and is read again."""

    def __init__(self, name: str, find: Find | None = None) -> None:
        self.name = name
        self.number = -1
        self._find = find
        self.lock = threading.RLock()
        self.drop()

    def drop(self) -> None:
        """Clear the cache."""
        with self.lock:
            self.postings = PostingCache()
            self.selections = Selections()
            self.texts, self.ids = Texts(), Texts()
            self._columns = Columns()
            self._matrices: dict[str, Matrix] = {}
            self._read = 0
            """Rows that were read from the database and are not in the mapped file."""
            self._mapped = -1
            """The revision of the mapped file."""
            self._opening = False

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
            if self._columns.revision < 0:
                self._map(None if self._find is None else self._find(connection, number, epoch, revision))
                self._opening = True
            if revision > self._columns.revision:
                self._absorb(connection, revision)
            if reindexed != self._columns.reindexed:
                # A memory was given another text.
                self.texts = Texts()
            self._columns.reindexed = reindexed
            return self._columns.snapshot()

    def _absorb(self, connection: sqlite3.Connection, revision: int) -> None:
        cursor = connection.execute(sql.memories.columns, (self.number, self._columns.revision))
        try:
            while rows := cursor.fetchmany(_BLOCK):
                self._columns.absorb(with_scopes(rows))
                self._read += len(rows)
        except (LookupError, ValueError, TypeError, OverflowError) as error:
            self.drop()
            raise CorruptStoreError(
                f"namespace {self.name!r} holds a memory that cannot be read ({error!r}). Restore a backup."
            ) from error
        self._columns.revision = revision

    def adopt(self, connection: sqlite3.Connection, found: Mapped) -> None:
        """Map a newer file in place of what was read, so that processes share it. Connection: as `catch_up`."""
        with self.lock:
            if found.about["epoch"] == self._columns.epoch and found.about["revision"] > self._mapped:
                self._map(found)
                self.catch_up(connection)

    def _map(self, found: Mapped | None) -> None:
        if found is None:
            return
        self._columns.restore(found.about, found.arrays)
        self._read, self._mapped = 0, found.about["revision"]
        for place, (model, dimensions, revision) in enumerate(found.about["models"]):
            start = f"vector/{place}/"
            own = {
                name.removeprefix(start): each for name, each in found.arrays.items() if name.startswith(start)
            }
            self._matrices[model] = Matrix.restored(dimensions, revision, own)

    @property
    def epoch(self) -> int:
        """The epoch of what was read; -1 before the first read."""
        return self._columns.epoch

    def is_due(self, share: int, lag: int | None = None) -> bool:
        """Return whether reading `lag` rows is worth a file: a `share`th of all, or a 64th or more and many.

        By default the rows that this process has read.
        """
        count = self._columns.count
        enough = min(count // share, _MOST) if share >= 64 else count // share
        return (self._read if lag is None else lag) >= max(_LEAST, enough)

    def has_lag(self, rows: int) -> None:
        """Note how many rows the file lacks: rows that were read again and again are counted once."""
        with self.lock:
            self._read = rows

    def has_opened_late(self) -> bool:
        """Return, once after the first read, whether it read rows that every other process would read too."""
        opening, self._opening = self._opening, False
        return opening and self.is_due(64)

    def packed(
        self, connection: sqlite3.Connection
    ) -> tuple[dict[str, Any], dict[str, tuple[NDArray[Any], int]]]:
        """Return what a file of this cache holds, as `Mapped` returns it. Connection: as `catch_up`.

        All vectors are among it, also those that nothing has asked for: who writes without comparing reads none.
        """
        with self.lock:
            snapshot = self.catch_up(connection)
            for (model,) in connection.execute(sql.vectors.models_in, (self.number,)).fetchall():
                self.matrix(connection, model, snapshot)
            # What takes a pass over all rows and what every process needs: chains, sums of sessions, the profile.
            snapshot.gain(snapshot.chain.next[:0], 1)
            profile(snapshot)
            about, arrays = self._columns.packed()
            about["models"] = []
            for place, (model, matrix) in enumerate(sorted(self._matrices.items())):
                own = matrix.packed(min(len(matrix.rows), self._columns.count))
                arrays |= {f"vector/{place}/{name}": array for name, array in own.items()}
                about["models"].append([model, matrix.dimensions, matrix.revision])
            self._read = 0
            return about, arrays

    def has_matrix(self, model: str) -> bool:
        """Return whether the vectors of a model have been read: catching up then costs little."""
        return model in self._matrices

    def matrix(self, connection: sqlite3.Connection, model: str, snapshot: Snapshot) -> Matrix | None:
        """Return the vectors of a model, one row per slot; None if no vector of it was ever stored."""
        with self.lock:
            newest, ready = self._columns.snapshot(), self._matrices.get(model)
            if newest is snapshot and ready is not None and ready.revision >= snapshot.revision:
                return ready
            known = connection.execute(sql.vectors.model, (model,)).fetchone()
            if known is None or not snapshot.count:
                return None
            number, dimensions = known
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
            cursor = connection.execute(sql.vectors.all_until, place)
        else:
            cursor = connection.execute(sql.vectors.new_between, (*place, matrix.revision))
        # Room for every row, also where none has a vector.
        matrix.update(np.zeros(0, dtype=np.int64), [], slots_in.count)
        while rows := cursor.fetchmany(_BLOCK):
            keys = np.array([row[0] for row in rows], dtype=np.int64)
            matrix.update(slots_in.slots(keys), [row[1] for row in rows], slots_in.count)
        matrix.revision = upto.revision
        return matrix
