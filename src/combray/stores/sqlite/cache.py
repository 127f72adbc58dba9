"""Cache of one namespace: columns and vector matrices, mapped from a file and updated by revision."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, tzinfo
from typing import Any

import numpy as np
from numpy.typing import NDArray

from combray.stores.cache import ColumnCache, Texts
from combray.stores.columns import profile
from combray.stores.mapped import Mapped
from combray.stores.matrix import Matrix
from combray.stores.snapshot import Snapshot
from combray.stores.sqlite.postings import SqlitePostingCache
from combray.stores.sqlite.session import SqliteSession
from combray.stores.sqlite.sql import sql

Find = Callable[[SqliteSession], Mapped | None]
"""Returns the file of a namespace that fits the state that the transaction sees; None if there is none."""
_LEAST, _MOST = 2_000, 8_000
"""Rows that are read faster than a file is opened, and rows that take a tenth of a second to read, whatever the
size of the namespace."""
_BLOCK = 20_000
"""Rows that are read at once. A row takes a kilobyte until it is in the columns."""


class SqliteNamespaceCache(ColumnCache[SqliteSession, Matrix]):
    """`ColumnCache` with posting lists and texts. `find` returns its file."""

    def __init__(self, name: str, find: Find = lambda _: None, zone: tzinfo = UTC) -> None:
        self._find = find
        super().__init__(name, zone)

    def drop(self) -> None:
        """Clear the cache."""
        with self.lock:
            super().drop()
            self.postings = SqlitePostingCache()
            self.texts = Texts()
            self._read = 0
            """Rows that were read from the database and are not in the mapped file."""
            self._taken = 0
            """Rows that this process has written since, which it need not read."""
            self._mapped = -1
            """The revision of the mapped file."""
            self._opening = False

    def _advance(self, session: SqliteSession, revision: int) -> None:
        if self._columns.revision < 0:
            self._map(self._find(session))
            self._opening = True
        if revision > self._columns.revision:
            cursor = session.connection.execute(sql.memories.columns, (self.number, self._columns.revision))
            before = self._columns.count
            self._absorb(iter(lambda: cursor.fetchmany(_BLOCK), []), revision)
            self._read += self._columns.count - before
        if session.state and session.state.reindexed != self._columns.reindexed:
            # A memory was given another text.
            self.texts = Texts()

    def take(
        self, revision: int, rows: Sequence[Sequence[Any]], codes: Mapping[str, Mapping[int, bytes]]
    ) -> None:
        with self.lock:
            before = self._columns.count
            super().take(revision, rows, codes)
            self._taken += self._columns.count - before

    def catch_up(self, session: SqliteSession, *, behind: int = 0) -> Snapshot:
        with self.lock:
            # Rows of a write count from the next call on, as those that are read do.
            self._read, self._taken = self._read + self._taken, 0
            return super().catch_up(session, behind=behind)

    def adopt(self, session: SqliteSession, found: Mapped) -> None:
        """Map a newer file in place of what was read, so that processes share it."""
        with self.lock:
            if found.about["epoch"] == self._columns.epoch and found.about["revision"] > self._mapped:
                self._map(found)
                self.catch_up(session)

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

    def packed(self, session: SqliteSession) -> tuple[dict[str, Any], dict[str, tuple[NDArray[Any], int]]]:
        """Return what a file of this cache holds, as `Mapped` returns it.

        All vectors are among it, also those that nothing has asked for: who writes without comparing reads none.
        """
        with self.lock:
            snapshot = self.catch_up(session)
            for (model,) in session.of_rows(sql.vectors.models_in):
                self.vectors_of(session, model, snapshot)
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

    def _kind(self, newest: Snapshot) -> type[Matrix]:  # noqa: ARG002 - of the base
        return Matrix

    def _fill(
        self, vectors: Matrix, session: SqliteSession, model: int, revision: int, slots_in: Snapshot
    ) -> None:
        place = (self.number, model, revision)
        if vectors.revision < 0:
            cursor = session.connection.execute(sql.vectors.all_until, place)
        else:
            cursor = session.connection.execute(sql.vectors.new_between, (*place, vectors.revision))
        # Room for every row, also where none has a vector.
        vectors.update(np.zeros(0, dtype=np.int64), [], slots_in.count)
        while rows := cursor.fetchmany(_BLOCK):
            keys = np.array([row[0] for row in rows], dtype=np.int64)
            vectors.update(slots_in.slots(keys), [row[1] for row in rows], slots_in.count)
