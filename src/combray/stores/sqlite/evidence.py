"""What retrieval arms read from the file: posting lists and cosines."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from combray.records import dataclass
from combray.runtime import KeywordArm
from combray.scoring.bm25f import Posting
from combray.stores.evidence import StoredEvidence
from combray.stores.postings import Weighed, affordable, read_together, weigh
from combray.stores.scored import Measured
from combray.stores.snapshot import Snapshot
from combray.stores.sqlite.cache import SqliteNamespaceCache
from combray.stores.sqlite.postings import read_codes, read_holding
from combray.stores.sqlite.postings import term as namespaced
from combray.stores.sqlite.session import SqliteSession


@dataclass(frozen=True)
class SqliteEvidence(StoredEvidence[SqliteSession, SqliteNamespaceCache]):
    """Implements `stores.arms.ArmData`."""

    def postings(self, arm: KeywordArm, snapshot: Snapshot) -> list[Posting | None]:
        connection = self.session.connection
        terms = [namespaced(self.cache.number, term) for term, _ in arm.terms]
        weights = tuple(arm.fields)
        holding: Callable[[str], int]
        weighed: Callable[[str], Weighed]
        with self.cache.lock:
            kept = self.cache.postings
            if self.keeps and kept.catch_up(connection, self.cache.number, snapshot):
                holding = partial(kept.holding, connection)
                weighed = partial(kept.weighed, connection, weights, snapshot)
            else:
                holding = partial(read_holding, connection)

                def weighed(term: str) -> Weighed:
                    return weigh(read_codes(connection, term), weights, snapshot)

            if arm.mode == "all" and not arm.lends:
                lists = read_together(set(terms), weighed)
            else:
                chosen = affordable(set(terms), snapshot.count, arm, holding)
                lists = {term: weighed(term) for term in sorted(chosen)}
        return [
            Posting(*lists[term], weight) if term in lists else None
            for term, (_, weight) in zip(terms, arm.terms, strict=True)
        ]

    def measured(self, model: str, vector: NDArray[np.float32], snapshot: Snapshot) -> Measured:
        return self._dense(self.cache.vectors_of(self.session, model, snapshot), model, vector, snapshot)
