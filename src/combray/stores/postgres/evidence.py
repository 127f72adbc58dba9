"""What retrieval arms read from the database: posting lists, cosines, labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from combray.runtime import KeywordArm, Scores
from combray.scoring.bm25f import Posting
from combray.scoring.neighbours import Slots
from combray.stores.matrix import check_dimensions
from combray.stores.postgres import sql
from combray.stores.postgres.cache import NamespaceCache
from combray.stores.postgres.postings import holding, read_codes
from combray.stores.postgres.selections import fresh_mask
from combray.stores.postgres.session import Session
from combray.stores.snapshot import Snapshot
from combray.stores.sqlite.evidence import _affordable
from combray.stores.sqlite.postings import weigh
from combray.where import Condition


@dataclass(frozen=True, slots=True)
class PostgresEvidence:
    """Implements `stores.arms.Evidence` for one namespace in one transaction.

    `keeps` is False during a write: uncommitted rows must not get into the shared posting cache.
    """

    session: Session
    cache: NamespaceCache
    keeps: bool

    def postings(self, arm: KeywordArm, snapshot: Snapshot) -> list[Posting | None]:
        terms = [term for term, _ in arm.terms]
        fields = tuple(arm.fields)
        kept = self.cache.postings
        with self.cache.lock:
            if self.keeps:
                lists, current = kept.lists(self.session, snapshot, terms)
            else:
                lists, current = read_codes(self.session, dict.fromkeys(terms, 0)), False
            chosen = _affordable(set(terms), snapshot.count, arm, lambda term: holding(lists[term]))
            weighed = {
                term: kept.weighed(lists[term], fields, snapshot, term)
                if current
                else weigh(lists[term], fields, snapshot)
                for term in sorted(chosen)
            }
        return [Posting(*weighed[term], weight) if term in weighed else None for term, weight in arm.terms]

    def cosines(
        self, model: str, vector: NDArray[np.float32], snapshot: Snapshot
    ) -> tuple[Scores, NDArray[np.bool_]]:
        matrix = self.cache.matrix(self.session, model, snapshot)
        if matrix is None:
            return np.zeros(snapshot.count), np.zeros(snapshot.count, dtype=np.bool_)
        check_dimensions(model, matrix.dimensions, len(vector))
        return matrix.cosines(vector, snapshot.count), matrix.has[: snapshot.count]

    def naming(self, entities: Sequence[str], snapshot: Snapshot) -> list[Slots]:
        return [np.unique(self._labelled("entity", name, snapshot)) for name in entities]

    def tagged(self, tags: Sequence[str], snapshot: Snapshot) -> NDArray[np.bool_]:
        found = np.zeros(snapshot.count, dtype=np.bool_)
        for name in {each.casefold() for each in tags}:
            found[self._labelled("tag", name, snapshot)] = True
        return found

    def meeting(self, condition: Condition, snapshot: Snapshot) -> NDArray[np.bool_]:
        if not self.keeps:
            return fresh_mask(self.session, condition, snapshot)
        with self.cache.lock:
            return self.cache.selections.mask(self.session, condition, snapshot)

    def _labelled(self, sort: str, name: str, snapshot: Snapshot) -> NDArray[np.int64]:
        rows = self.session.of_rows(sql.labels.holders, sort, name)
        slots = snapshot.slots(np.array([row[0] for row in rows], dtype=np.int64))
        return slots[slots >= 0]
