"""Cache of one namespace: columns, vectors and masks, updated by revision."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, tzinfo
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from combray.errors import CorruptStoreError
from combray.stores.columns import Columns
from combray.stores.matrix import Matrix
from combray.stores.rows import with_scopes
from combray.stores.selections import Selections
from combray.stores.session import NamespaceState, S
from combray.stores.snapshot import Snapshot
from combray.stores.texts import Texts


class VectorRows(Protocol):
    """What is kept of the vectors of a model: one row per slot."""

    dimensions: int
    revision: int

    def __init__(self, dimensions: int) -> None: ...


V = TypeVar("V", bound=VectorRows)


class ColumnCache(ABC, Generic[S, V]):
    """Everything in this cache can be dropped at any time and is read again.

    `zone`: the time zone in which moments are returned.
    """

    def __init__(self, name: str, zone: tzinfo = UTC) -> None:
        self.name = name
        self.zone = zone
        self.number = -1
        self.lock = threading.RLock()
        self.drop()

    @property
    def revision(self) -> int:
        """The latest revision that was read; -1 before the first read."""
        return self._columns.revision

    @property
    def epoch(self) -> int:
        """The epoch of what was read; -1 before the first read."""
        return self._columns.epoch

    def drop(self) -> None:
        """Clear the cache."""
        with self.lock:
            self.selections = Selections()
            self.ids = Texts()
            """Ids of committed memories."""
            self._columns = self._empty_columns()
            self._matrices: dict[str, V] = {}

    def _empty_columns(self) -> Columns:
        return Columns()

    def catch_up(self, session: S, *, behind: int = 0) -> Snapshot:
        """Return the columns in the state that the transaction sees, `behind` revisions before it."""
        with self.lock:
            state = self._state(session, behind)
            if state is None:
                return Columns().snapshot()
            revision = state.revision - behind
            fresh = state.epoch != self._columns.epoch or state.number != self.number
            if fresh or revision < self._columns.revision:
                self.drop()
                self._columns.epoch, self.number = state.epoch, state.number
            if revision > self._columns.revision:
                self._advance(session, revision)
            self._columns.reindexed = state.reindexed
            return self._columns.snapshot()

    def _state(self, session: S, behind: int) -> NamespaceState | None:  # noqa: ARG002 - for PostgreSQL
        return session.state

    @abstractmethod
    def _advance(self, session: S, revision: int) -> None:
        """Read what was written up to a revision, with `_absorb`."""

    def _absorb(self, batches: Iterable[Sequence[Sequence[Any]]], revision: int) -> None:
        """Take in rows of `memories.columns`, and with them a revision."""
        try:
            for rows in batches:
                self._columns.absorb(with_scopes(rows))
        except (LookupError, ValueError, TypeError, OverflowError) as error:
            self.drop()
            raise CorruptStoreError(
                f"namespace {self.name!r} holds a memory that cannot be read ({error!r}). Restore a backup."
            ) from error
        self._columns.revision = revision

    def take(
        self, revision: int, rows: Sequence[Sequence[Any]], codes: Mapping[str, Mapping[int, bytes]]
    ) -> None:
        """Take in what a write has committed that only added memories. It need not be read again.

        Args:
            rows: As `memories.columns` gives them.
            codes: By model and key.
        """
        with self.lock:
            if self._columns.revision != revision - 1:
                # Another thread has read it, or a later state.
                return
            self._absorb([rows], revision)
            newest = self._columns.snapshot()
            for model, added in codes.items():
                kept = self._matrices.get(model)
                if isinstance(kept, Matrix) and kept.revision == revision - 1:
                    kept.update(newest.slots(np.array(list(added), np.int64)), list(added.values()), newest.count)
                    kept.revision = revision

    def vectors_of(self, session: S, model: str, snapshot: Snapshot) -> V | None:
        """Return what is kept of the vectors of a model; None if no vector of it was ever stored."""
        with self.lock:
            newest, kept = self._columns.snapshot(), self._matrices.get(model)
            kind = self._kind(newest)
            ready = kept if isinstance(kept, kind) else None
            if newest is snapshot and ready is not None and ready.revision >= snapshot.revision:
                return ready
            known = session.model(model) if snapshot.count else None
            if known is None:
                return None
            number, dimensions = known
            if snapshot.epoch != newest.epoch or snapshot.count > newest.count:
                # Another thread has read an erasure since: slots refer to different memories now.
                return self._filled(kind(dimensions), session, number, snapshot, snapshot)
            if ready is None or ready.dimensions != dimensions:
                ready = kind(dimensions)
            # The columns may be newer than this reader's snapshot.
            self._matrices[model] = self._filled(ready, session, number, snapshot, newest)
            return ready

    def _filled(self, vectors: V, session: S, model: int, upto: Snapshot, slots_in: Snapshot) -> V:
        if vectors.revision < upto.revision:
            self._fill(vectors, session, model, upto.revision, slots_in)
            vectors.revision = upto.revision
        return vectors

    @abstractmethod
    def _kind(self, newest: Snapshot) -> type[V]:
        """Return what is kept of vectors: a class that takes their dimensions."""

    @abstractmethod
    def _fill(self, vectors: V, session: S, model: int, revision: int, slots_in: Snapshot) -> None:
        """Read the vectors that were written after those at hand, up to a revision."""


C = TypeVar("C", bound=ColumnCache[Any, Any])
