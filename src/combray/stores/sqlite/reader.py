"""Reading one namespace of the file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import nullcontext

import numpy as np
from numpy.typing import NDArray

from combray.runtime import Keys, Scores
from combray.scoring.ranking import DECIMALS
from combray.stores.matrix import Matrix, check_dimensions, cosines
from combray.stores.reader import StoredReader
from combray.stores.snapshot import Snapshot
from combray.stores.sqlite.cache import SqliteNamespaceCache
from combray.stores.sqlite.evidence import SqliteEvidence
from combray.stores.sqlite.session import SqliteSession
from combray.stores.sqlite.sql import sql


class SqliteReader(StoredReader[SqliteSession, SqliteNamespaceCache]):
    """Implements `runtime.Reader`."""

    sql = sql

    def _evidence(self, session: SqliteSession) -> SqliteEvidence:
        return SqliteEvidence(session, self.cache, self.keeps)

    def _matrix(self, session: SqliteSession, model: str, snapshot: Snapshot) -> Matrix | None:
        return self.cache.vectors_of(session, model, snapshot)

    def _with_ids(self, session: SqliteSession, ids: Sequence[str]) -> dict[str, int]:
        found = {each: session.of_row(sql.memories.with_id, each) for each in ids}
        return {each: int(row[0]) for each, row in found.items() if row is not None}

    def similarity(self, model: str, vector: NDArray[np.float32], keys: Keys) -> Scores:
        if not (self.keeps and self.cache.has_matrix(model)):
            return super().similarity(model, vector, keys)
        scores = np.zeros(len(keys))
        with self._view() as (session, snapshot):
            matrix = self._matrix(session, model, snapshot)
        if matrix is not None:
            slots = snapshot.slots(np.asarray(keys, dtype=np.int64))
            slots, known = slots[slots >= 0], slots >= 0
            if matrix.there[slots].any():
                check_dimensions(model, matrix.dimensions, len(vector))
                found = cosines(matrix.rows[slots], matrix.norms[slots], vector)
                scores[known] = np.round(found, DECIMALS)
        return scores

    def names(self, names: Iterable[str] = (), canonicals: Iterable[str] = ()) -> list[tuple[str, str]]:
        with self.open_session() as session:
            rows = session.of_rows
            if not rows(sql.aliases.any):
                return []
            names, canonicals = list(names), list(canonicals)
            # A question has five times as many runs of words as words, and next to none begins a known name.
            first = {each: each.partition(" ")[0] for each in (*names, *canonicals)}
            begun = {row[0] for row in rows(sql.aliases.beginning, sorted(set(first.values())))}
            found = [
                (sql.aliases.canonicals, [each for each in names if first[each] in begun]),
                (sql.aliases.names, [each for each in canonicals if first[each] in begun]),
            ]
            read = (rows(statement, wanted) for statement, wanted in found if wanted)
            return sorted({(row[0], row[1]) for some in read for row in some})


class SqliteView(SqliteReader):
    """Reads one unchanging state of the file, through one connection."""

    def __init__(self, cache: SqliteNamespaceCache, session: SqliteSession) -> None:
        with cache.lock:
            snapshot = cache.catch_up(session)
            # Those of the same epoch: after an erasure the cache has others.
            self._texts, self._ids = cache.texts, cache.ids
        open_session = nullcontext(session)
        super().__init__(session.name, cache, lambda: open_session, (session, snapshot))
        self._snapshot = snapshot

    def contents(self, keys: Iterable[int]) -> list[str]:
        return self._kept(sql.memories.contents, keys, self._texts, self._snapshot)

    def ids(self, keys: Keys) -> list[str]:
        return self._kept(sql.memories.ids, keys, self._ids, self._snapshot)
