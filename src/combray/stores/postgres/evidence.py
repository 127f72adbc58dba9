"""What retrieval arms read from the database: posting lists, cosines, labels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from combray.records import dataclass
from combray.runtime import Keys, KeywordArm
from combray.scoring.bm25f import Posting
from combray.stores.evidence import ColumnEvidence
from combray.stores.matrix import check_dimensions
from combray.stores.postgres import sql
from combray.stores.postgres.cache import NamespaceCache
from combray.stores.postgres.nearness import Remote
from combray.stores.postgres.postings import holding, read_codes
from combray.stores.postgres.selections import PostgresChanges
from combray.stores.postgres.session import Session
from combray.stores.postings import affordable, weigh
from combray.stores.scored import Measured
from combray.stores.selections import fresh_mask
from combray.stores.snapshot import Snapshot
from combray.where import Condition


@dataclass(frozen=True, slots=True)
class PostgresEvidence(ColumnEvidence):
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
            chosen = affordable(set(terms), snapshot.count, arm, lambda term: holding(lists[term]))
            weighed = {
                term: kept.weighed(lists[term], fields, snapshot, term)
                if current
                else weigh(lists[term], fields, snapshot)
                for term in sorted(chosen)
            }
        return [Posting(*weighed[term], weight) if term in weighed else None for term, weight in arm.terms]

    def meeting(self, condition: Condition, snapshot: Snapshot) -> NDArray[np.bool_]:
        changes = PostgresChanges(self.session)
        if not self.keeps:
            return fresh_mask(changes, condition, snapshot)
        with self.cache.lock:
            return self.cache.selections.mask(changes, condition, snapshot)

    def measured(self, model: str, vector: NDArray[np.float32], snapshot: Snapshot) -> Measured:
        held = self.cache.matrix(self.session, model, snapshot)
        if isinstance(held, Remote):
            check_dimensions(model, held.dimensions, len(vector))
            return held.measured(vector)
        return self._dense(held, model, vector, snapshot)

    def _labelled(self, sort: str, name: str) -> Keys:
        rows = self.session.of_rows(sql.labels.holders, sort, name)
        return np.array([row[0] for row in rows], dtype=np.int64)
