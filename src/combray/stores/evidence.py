"""What retrieval arms read, as far as it is the same for every database."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from combray.runtime import Keys
from combray.scoring.neighbours import Slots
from combray.scoring.scratch import ascending
from combray.stores.matrix import Matrix, check_dimensions
from combray.stores.scored import Dense, Measured
from combray.stores.snapshot import Snapshot


class ColumnEvidence(ABC):
    """The part of `stores.arms.Evidence` that is arithmetic on vectors and on the keys behind a label."""

    @abstractmethod
    def _labelled(self, sort: str, name: str) -> Keys:
        """Return the keys of the memories with a label; `sort` is "entity" or "tag"."""

    @staticmethod
    def _dense(matrix: Matrix | None, model: str, vector: NDArray[np.float32], snapshot: Snapshot) -> Measured:
        """Return the cosines with a vector; `matrix` is None if no vector of the model was ever stored."""
        if matrix is None:
            return Dense(np.zeros(snapshot.count), np.zeros(snapshot.count, dtype=np.bool_))
        check_dimensions(model, matrix.dimensions, len(vector))
        has = matrix.has[: snapshot.count]
        if not snapshot.hides:
            return matrix.scan(vector, has, None)
        shown = snapshot.shown
        return matrix.scan(vector, snapshot.once(("has", model), lambda: has & shown), shown)

    def naming(self, entities: Sequence[str], snapshot: Snapshot) -> list[Slots]:
        return [ascending(self._slots("entity", name, snapshot)) for name in entities]

    def tagged(self, tags: Sequence[str], snapshot: Snapshot) -> NDArray[np.bool_]:
        found = np.zeros(snapshot.count, dtype=np.bool_)
        for name in {each.casefold() for each in tags}:
            found[self._slots("tag", name, snapshot)] = True
        return found

    def _slots(self, sort: str, name: str, snapshot: Snapshot) -> NDArray[np.int64]:
        slots = snapshot.slots(self._labelled(sort, name))
        return slots[slots >= 0]
