"""What retrieval arms read from the file: posting lists, cosines, labels."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from combray.records import dataclass
from combray.runtime import Keys, KeywordArm
from combray.scoring.bm25f import Posting
from combray.stores.evidence import ColumnEvidence
from combray.stores.postings import Weighed, affordable, weigh
from combray.stores.scored import Measured
from combray.stores.selections import fresh_mask
from combray.stores.snapshot import Snapshot
from combray.stores.sqlite import sql
from combray.stores.sqlite.cache import NamespaceCache
from combray.stores.sqlite.namespace import term as namespaced
from combray.stores.sqlite.postings import read_codes, read_holding
from combray.stores.sqlite.selections import SqliteChanges
from combray.where import Condition


@dataclass(frozen=True, slots=True)
class SqliteEvidence(ColumnEvidence):
    """Implements `stores.arms.Evidence` for one namespace in one connection's transaction.

    `keeps` is False during a write: uncommitted rows must not get into the shared posting cache.
    """

    connection: sqlite3.Connection
    cache: NamespaceCache
    keeps: bool

    def postings(self, arm: KeywordArm, snapshot: Snapshot) -> list[Posting | None]:
        terms = [namespaced(self.cache.number, term) for term, _ in arm.terms]
        weights = tuple(arm.fields)
        holding: Callable[[str], int]
        weighed: Callable[[str], Weighed]
        with self.cache.lock:
            kept = self.cache.postings
            if self.keeps and kept.catch_up(self.connection, self.cache.number, snapshot):
                holding = partial(kept.holding, self.connection)
                weighed = partial(kept.weighed, self.connection, weights, snapshot)
            else:
                holding = partial(read_holding, self.connection)
                weighed = partial(_read_weighed, self.connection, weights, snapshot)
            chosen = affordable(set(terms), snapshot.count, arm, holding)
            lists = {term: weighed(term) for term in sorted(chosen)}
        return [
            Posting(*lists[term], weight) if term in lists else None
            for term, (_, weight) in zip(terms, arm.terms, strict=True)
        ]

    def meeting(self, condition: Condition, snapshot: Snapshot) -> NDArray[np.bool_]:
        changes = SqliteChanges(self.connection, self.cache.number)
        if not self.keeps:
            return fresh_mask(changes, condition, snapshot)
        with self.cache.lock:
            return self.cache.selections.mask(changes, condition, snapshot)

    def measured(self, model: str, vector: NDArray[np.float32], snapshot: Snapshot) -> Measured:
        return self._dense(self.cache.matrix(self.connection, model, snapshot), model, vector, snapshot)

    def _labelled(self, sort: str, name: str) -> Keys:
        rows = self.connection.execute(sql.labels.holders, (self.cache.number, sort, name)).fetchall()
        return np.array([row[0] for row in rows], dtype=np.int64)


def _read_weighed(
    connection: sqlite3.Connection, fields: tuple[float, ...], snapshot: Snapshot, term: str
) -> Weighed:
    return weigh(read_codes(connection, term), fields, snapshot)
