"""Cache of one namespace: columns, vectors, masks of conditions and texts, updated by revision."""

from __future__ import annotations

import threading
import weakref
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, tzinfo
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from combray.errors import CorruptStoreError
from combray.language.caches import keyed_by_text
from combray.stores.columns import Columns
from combray.stores.matrix import Matrix
from combray.stores.rows import with_scopes
from combray.stores.session import NamespaceState, Row, S, StoreSession
from combray.stores.snapshot import Snapshot
from combray.where import Condition, fields_of

Mask = NDArray[np.bool_]

_UNVERSIONED = frozenset(("access_count", "last_accessed_at"))
"""Fields that change without a new revision of their row."""
_MOST_KEPT = 32
_NONE: Mask = np.zeros(0, dtype=np.bool_)


class Selections:
    """Masks of conditions, each caught up by revision: a second recall with one filter looks at new rows only."""

    def __init__(self) -> None:
        self._kept: dict[Condition, tuple[int, int, Mask]] = {}

    def mask(self, session: StoreSession, condition: Condition, snapshot: Snapshot) -> Mask:
        """Rows of the snapshot that meet the condition. Read only; the caller holds the cache's lock."""
        epoch, revision, old = self._kept.get(condition, (-1, -1, _NONE))
        if epoch == snapshot.epoch and revision == snapshot.revision:
            return old
        if epoch != snapshot.epoch or revision > snapshot.revision:
            mask = fresh_mask(session, condition, snapshot)
        else:
            mask = np.zeros(snapshot.count, dtype=np.bool_)
            mask[: len(old)] = old
            changed = session.of_rows(session.sql.selections.changed, revision)
            mask[_slots(changed, snapshot)] = False
            mask[_meeting(session, condition, snapshot, revision)] = True
        # Otherwise a change of what the condition looks at may give its row no new revision.
        is_versioned = _UNVERSIONED.isdisjoint(fields_of(condition))
        if (epoch, revision) < (snapshot.epoch, snapshot.revision) and is_versioned:
            if condition not in self._kept and len(self._kept) >= _MOST_KEPT:
                self._kept.clear()
            self._kept[condition] = (snapshot.epoch, snapshot.revision, mask)
        return mask


def fresh_mask(session: StoreSession, condition: Condition, snapshot: Snapshot) -> Mask:
    """Rows of the snapshot that meet the condition now."""
    mask = np.zeros(snapshot.count, dtype=np.bool_)
    mask[_meeting(session, condition, snapshot, -1)] = True
    return mask


def _meeting(session: StoreSession, condition: Condition, snapshot: Snapshot, since: int) -> NDArray[np.int64]:
    """Return the rows with a revision after `since` that meet the condition."""
    text, values = session.condition(condition, since)
    statement = session.sql.selections.meeting.format(met=session.numbered(text, 3))
    return _slots(session.of_rows(statement, since, *values), snapshot)


def _slots(rows: Sequence[Row], snapshot: Snapshot) -> NDArray[np.int64]:
    slots = snapshot.slots(np.array([row[0] for row in rows], dtype=np.int64))
    return slots[slots >= 0]


MOST_CHARACTERS = 1_000_000
"""Characters that are kept for each namespace, 1 to 4 MB."""


class Texts:
    """Text or id by key. Ids never change; all texts are dropped when a memory gets another one."""

    def __init__(self) -> None:
        self._texts: dict[int, str] = {}
        self._characters = 0
        self._lock = threading.Lock()
        _EVERY.add(self)

    def of(self, keys: Iterable[int]) -> dict[int, str]:
        """Return the texts of those keys that are kept."""
        texts = self._texts
        return {key: texts[key] for key in keys if key in texts}

    def add(self, texts: Mapping[int, str]) -> None:
        """Keep texts; all others are dropped when there are too many."""
        with self._lock:
            self._characters += sum(map(len, texts.values()))
            if self._characters > MOST_CHARACTERS:
                self._texts, self._characters = {}, 0
            else:
                self._texts.update(texts)

    def clear(self) -> None:
        """Drop all texts."""
        with self._lock:
            # Not emptied: a reader may be looking texts up.
            self._texts, self._characters = {}, 0


_EVERY: weakref.WeakSet[Texts] = weakref.WeakSet()


@keyed_by_text
class _Every:
    """All texts of this process, as `caches.forget_texts` empties them."""

    @staticmethod
    def cache_clear() -> None:
        for each in list(_EVERY):
            each.clear()


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
