"""What retrieval arms read from the database: posting lists and cosines."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from combray.records import dataclass
from combray.runtime import KeywordArm
from combray.scoring.bm25f import Posting
from combray.stores.evidence import StoredEvidence
from combray.stores.matrix import check_dimensions
from combray.stores.postgres.cache import PostgresNamespaceCache
from combray.stores.postgres.nearness import Remote
from combray.stores.postgres.postings import holding, read_codes
from combray.stores.postgres.session import PostgresSession
from combray.stores.postings import affordable, weigh
from combray.stores.scored import Measured
from combray.stores.snapshot import Snapshot


@dataclass(frozen=True)
class PostgresEvidence(StoredEvidence[PostgresSession, PostgresNamespaceCache]):
    """Implements `stores.arms.ArmData`."""

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
                term: kept.weighed.of(term, lists[term], fields, snapshot)
                if current
                else weigh(lists[term], fields, snapshot)
                for term in sorted(chosen)
            }
        return [Posting(*weighed[term], weight) if term in weighed else None for term, weight in arm.terms]

    def measured(self, model: str, vector: NDArray[np.float32], snapshot: Snapshot) -> Measured:
        held = self.cache.matrix(self.session, model, snapshot)
        if isinstance(held, Remote):
            check_dimensions(model, held.dimensions, len(vector))
            return held.measured(vector)
        return self._dense(held, model, vector, snapshot)
