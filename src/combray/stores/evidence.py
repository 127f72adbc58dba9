"""What retrieval arms read, as far as it is the same for every database."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Generic

import numpy as np
from numpy.typing import NDArray

from combray.records import dataclass
from combray.runtime import KeywordArm
from combray.scoring.bm25f import Posting
from combray.scoring.ranking import ascending
from combray.scoring.turns import Slots
from combray.stores.cache import C, fresh_mask
from combray.stores.matrix import Matrix, check_dimensions
from combray.stores.scored import Measured, Products
from combray.stores.session import S
from combray.stores.snapshot import Snapshot
from combray.where import Condition


@dataclass(frozen=True)
class StoredEvidence(ABC, Generic[S, C]):
    """Implements `stores.arms.ArmData` for one namespace in one transaction, but for postings and vectors.

    `keeps` is False during a write: uncommitted rows must not get into the shared caches.
    """

    session: S
    cache: C
    keeps: bool

    @abstractmethod
    def postings(self, arm: KeywordArm, snapshot: Snapshot) -> list[Posting | None]:
        """As `ArmData` has it."""

    @abstractmethod
    def measured(self, model: str, vector: NDArray[np.float32], snapshot: Snapshot) -> Measured:
        """As `ArmData` has it."""

    @staticmethod
    def _dense(matrix: Matrix | None, model: str, vector: NDArray[np.float32], snapshot: Snapshot) -> Measured:
        """Return the cosines with a vector; `matrix` is None if no vector of the model was ever stored."""
        if matrix is None:
            none = np.zeros(snapshot.count)
            return Products(none, none, 0.0, none > 0)
        check_dimensions(model, matrix.dimensions, len(vector))
        has = matrix.has[: snapshot.count]
        if not snapshot.hides:
            return matrix.scan(vector, has, None)
        shown = snapshot.shown
        return matrix.scan(vector, snapshot.once(("has", model), lambda: has & shown), shown)

    def meeting(self, condition: Condition, snapshot: Snapshot) -> NDArray[np.bool_]:
        if not self.keeps:
            return fresh_mask(self.session, condition, snapshot)
        with self.cache.lock:
            return self.cache.selections.mask(self.session, condition, snapshot)

    def naming(self, entities: Sequence[str], snapshot: Snapshot) -> list[Slots]:
        return [ascending(self._slots("entity", name, snapshot)) for name in entities]

    def tagged(self, tags: Sequence[str], snapshot: Snapshot) -> NDArray[np.bool_]:
        found = np.zeros(snapshot.count, dtype=np.bool_)
        for name in {each.casefold() for each in tags}:
            found[self._slots("tag", name, snapshot)] = True
        return found

    def _slots(self, sort: str, name: str, snapshot: Snapshot) -> NDArray[np.int64]:
        rows = self.session.of_rows(self.session.sql.labels.holders, sort, name)
        slots = snapshot.slots(np.array([row[0] for row in rows], dtype=np.int64))
        return slots[slots >= 0]
