"""Reads that need only the columns and vectors of a namespace in memory: the same for every database."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, Generic, Protocol

import numpy as np
from numpy.typing import NDArray

from combray.runtime import (
    SHAPE_WORDS,
    Arm,
    Filter,
    Found,
    Keys,
    LateRows,
    Profile,
    Ranked,
    Rows,
    Scores,
    Vectors,
)
from combray.scoring.ranking import DECIMALS
from combray.scoring.turns import Slots
from combray.stores import arms as arms_module
from combray.stores.arms import ArmData
from combray.stores.cache import C
from combray.stores.columns import profile
from combray.stores.matrix import check_dimensions, cosines, decode, norms, whole
from combray.stores.session import S, Tables, missing
from combray.stores.snapshot import Snapshot
from combray.stores.tables import StoredDocuments, StoredQueue

_KINDS: Mapping[str, type] = {
    **dict.fromkeys(("author", "session", "position", "words", "tier", "cues", "status"), np.int64),
    **dict.fromkeys(("moment", "recorded", "importance", "confidence"), np.float64),
    **dict.fromkeys(("valid_from", "valid_to", "happened", "happened_to"), np.float64),
    **dict.fromkeys(("asks", "times"), np.bool_),
}
"""Column -> type in `Rows`."""

View = AbstractContextManager[tuple[S, Snapshot]]
"""A transaction with the columns in the state that it sees."""


class Searchable(Protocol):
    """The vectors of a model: a matrix in memory, or an index on a server."""

    @property
    def dimensions(self) -> int:
        """Length of a vector."""

    @property
    def there(self) -> NDArray[np.bool_]:
        """Which rows have a vector, those of zeros included; at least as long as the snapshot."""

    def nearest(
        self, vectors: Vectors, keys: Keys, eligible: NDArray[np.bool_], limit: int, minimum: float
    ) -> list[Ranked]:
        """Return for each vector the `limit` best eligible rows with a cosine of at least `minimum`."""


class ColumnReader(Tables[S], ABC, Generic[S, C]):
    """The part of `runtime.Reader` that reads columns. `seen` is the state of a reader that sees only one."""

    keeps = True
    """Whether what is read may be kept for other readers: it is committed."""

    def __init__(
        self,
        namespace: str,
        cache: C,
        open_session: Callable[[], AbstractContextManager[S]],
        seen: tuple[S, Snapshot] | None = None,
    ) -> None:
        super().__init__(self.sql, open_session)
        self.namespace = namespace
        self.cache = cache
        self._seen = None if seen is None else nullcontext(seen)
        self.documents = StoredDocuments(self.sql, open_session)
        self.queue = StoredQueue(self.sql, open_session)

    @abstractmethod
    def _evidence(self, session: S) -> ArmData:
        """Return what arms read from the database."""

    @abstractmethod
    def _matrix(self, session: S, model: str, snapshot: Snapshot) -> Searchable | None:
        """Return the vectors of a model, one row per slot; None if no vector of it was ever stored."""

    def _view(self) -> View[S]:
        return self._caught_up() if self._seen is None else self._seen

    @contextmanager
    def _caught_up(self) -> Iterator[tuple[S, Snapshot]]:
        with self.open_session() as session:
            yield session, self.cache.catch_up(session)

    def search(self, arms: Mapping[str, Arm], where: Filter, limit: int) -> Found:
        with self._view() as (connection, snapshot):
            return arms_module.search(self._evidence(connection), snapshot, arms, where, limit)

    def scan(self, where: Filter, *, newest_first: bool = False, limit: int | None = None) -> Keys:
        with self._view() as (connection, snapshot):
            if newest_first and limit and where.now is None and not where.tags and where.condition is None:
                return snapshot.keys[snapshot.newest(where, limit)]
            eligible = arms_module.eligible_rows(self._evidence(connection), snapshot, where)
            places = np.flatnonzero(eligible)
            order = places[np.lexsort((snapshot.keys[places], snapshot.moment[places]))]
            if newest_first:
                order = order[::-1]
            result: Keys = snapshot.keys[order[:limit]].copy()
            return result

    def nearest(self, model: str, vectors: Vectors, where: Filter, limit: int, minimum: float) -> list[Ranked]:
        with self._view() as (connection, snapshot):
            matrix = self._matrix(connection, model, snapshot)
            if matrix is None:
                return [Ranked(np.zeros(0, np.int64), np.zeros(0)) for _ in vectors]
            check_dimensions(model, matrix.dimensions, vectors.shape[1])
            eligible = arms_module.findable_rows(self._evidence(connection), snapshot, where)
            return matrix.nearest(vectors, snapshot.keys, eligible, limit, minimum)

    def eligible(self, keys: Keys, where: Filter) -> NDArray[np.bool_]:
        with self._view() as (connection, snapshot):
            slots = snapshot.slots(np.asarray(keys, dtype=np.int64))
            known = slots >= 0
            result: NDArray[np.bool_] = np.zeros(len(slots), dtype=np.bool_)
            if where.tags or where.condition is not None:
                result[known] = arms_module.eligible_rows(self._evidence(connection), snapshot, where)[
                    slots[known]
                ]
            else:
                result[known] = snapshot.accepts(where, slots[known])
            return result

    def covered(self, model: str, where: Filter) -> tuple[int, int]:
        with self._view() as (connection, snapshot):
            eligible = arms_module.eligible_rows(self._evidence(connection), snapshot, where)
            matrix = self._matrix(connection, model, snapshot)
            if matrix is None:
                return 0, snapshot.size(eligible)
            there = matrix.there[: snapshot.count]
            has = snapshot.derived_from(eligible, ("there", model), lambda: int((eligible & there).sum()))
            return has, snapshot.size(eligible)

    def _codes(self, model: str, keys: Keys) -> tuple[dict[int, bytes], int]:
        """Return the int8 codes of the keys, and their length (1 for an unknown model)."""
        with self.open_session() as session:
            known = session.model(model)
            if known is None:
                return {}, 1
            number, dimensions = known
            return dict(session.of_rows(self.sql.vectors.codes, number, [int(key) for key in keys])), dimensions

    def similarity(self, model: str, vector: NDArray[np.float32], keys: Keys) -> Scores:
        codes, dimensions = self._codes(model, keys)
        scores = np.zeros(len(keys))
        if codes:
            check_dimensions(model, dimensions, len(vector))
            places = [place for place, key in enumerate(keys) if int(key) in codes]
            coded = whole([codes[int(keys[place])] for place in places], dimensions)
            scores[places] = np.round(cosines(coded, norms(coded), vector), DECIMALS)
        return scores

    def vectors(self, model: str, keys: Keys) -> tuple[Vectors, NDArray[np.bool_]]:
        codes, dimensions = self._codes(model, keys)
        rows = np.zeros((len(keys), dimensions), dtype=np.float32)
        has = np.array([int(key) in codes for key in keys], dtype=np.bool_)
        if has.any():
            rows[has] = decode([codes[int(key)] for key in keys if int(key) in codes], dimensions)
        return rows, has

    def tokens(self, model: str, keys: Keys) -> list[NDArray[np.int8] | None]:
        with self.open_session() as session:
            number, dimensions = session.model(model) or (0, 1)
            found: dict[int, bytes] = dict(
                session.of_rows(self.sql.tokens.codes, number, [int(key) for key in keys])
            )
        return [
            whole([found[key]], dimensions, len(found[key]) // dimensions) if key in found else None
            for key in map(int, keys)
        ]

    def rows(self, keys: Keys) -> Rows:
        with self._view() as (_, snapshot):
            wanted = np.asarray(keys, dtype=np.int64)
            slots = snapshot.slots(wanted)
            if (slots < 0).any():
                raise missing(int(wanted[slots < 0][0]), self.namespace)

        def column(name: str) -> NDArray[Any]:
            if name == "gain":
                return snapshot.gain(slots, SHAPE_WORDS)
            return snapshot.columns[name][slots].astype(_KINDS[name], copy=False)

        return LateRows.read_by(column, wanted, snapshot.author_names)

    def neighbours(self, keys: Keys, before: int, after: int) -> list[list[int]]:
        with self._view() as (_, snapshot):
            slots = snapshot.slots(np.asarray(keys, dtype=np.int64)).tolist()
            return [
                [
                    *reversed(_walk(snapshot, snapshot.chain.previous, slot, before)),
                    *_walk(snapshot, snapshot.chain.next, slot, after),
                ]
                for slot in slots
            ]

    def profile(self) -> Profile:
        with self._view() as (_, snapshot):
            return profile(snapshot)


def _walk(snapshot: Snapshot, pointers: Slots, slot: int, steps: int) -> list[int]:
    """Return the keys of up to `steps` turns along the pointers, nearest first."""
    found: list[int] = []
    while slot >= 0 and len(found) < steps and (slot := int(pointers[slot])) >= 0:
        found.append(int(snapshot.keys[slot]))
    return found
