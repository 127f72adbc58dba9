"""What retrieval arms read, as far as it is the same for every database."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from combray.runtime import Keys, Scores
from combray.scoring.neighbours import Slots
from combray.stores.matrix import Matrix, check_dimensions
from combray.stores.snapshot import Snapshot


class ColumnEvidence(ABC):
    """The part of `stores.arms.Evidence` that needs a matrix of vectors and the keys behind a label."""

    @abstractmethod
    def _matrix(self, model: str, snapshot: Snapshot) -> Matrix | None:
        """Return the vectors of a model, one row per slot; None if no vector of it was ever stored."""

    @abstractmethod
    def _labelled(self, sort: str, name: str) -> Keys:
        """Return the keys of the memories with a label; `sort` is "entity" or "tag"."""

    def cosines(
        self, model: str, vector: NDArray[np.float32], snapshot: Snapshot
    ) -> tuple[Scores, NDArray[np.bool_]]:
        matrix = self._matrix(model, snapshot)
        if matrix is None:
            return np.zeros(snapshot.count), np.zeros(snapshot.count, dtype=np.bool_)
        check_dimensions(model, matrix.dimensions, len(vector))
        return matrix.cosines(vector, snapshot.count), matrix.has[: snapshot.count]

    def naming(self, entities: Sequence[str], snapshot: Snapshot) -> list[Slots]:
        return [np.unique(self._slots("entity", name, snapshot)) for name in entities]

    def tagged(self, tags: Sequence[str], snapshot: Snapshot) -> NDArray[np.bool_]:
        found = np.zeros(snapshot.count, dtype=np.bool_)
        for name in {each.casefold() for each in tags}:
            found[self._slots("tag", name, snapshot)] = True
        return found

    def _slots(self, sort: str, name: str, snapshot: Snapshot) -> NDArray[np.int64]:
        slots = snapshot.slots(self._labelled(sort, name))
        return slots[slots >= 0]
