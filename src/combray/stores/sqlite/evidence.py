"""What retrieval arms read from the file: posting lists, cosines, labels."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from combray.runtime import KeywordArm, Scores
from combray.scoring.bm25f import Posting
from combray.scoring.neighbours import Slots
from combray.stores.matrix import check_dimensions
from combray.stores.snapshot import Snapshot
from combray.stores.sqlite import sql
from combray.stores.sqlite.cache import NamespaceCache
from combray.stores.sqlite.namespace import term as namespaced
from combray.stores.sqlite.postings import Weighed, read_codes, read_holding, weigh
from combray.stores.sqlite.selections import fresh_mask
from combray.where import Condition

_MIN_TERMS = 3


@dataclass(frozen=True, slots=True)
class SqliteEvidence:
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
            chosen = _affordable(set(terms), snapshot.count, arm, holding)
            lists = {term: weighed(term) for term in sorted(chosen)}
        return [
            Posting(*lists[term], weight) if term in lists else None
            for term, (_, weight) in zip(terms, arm.terms, strict=True)
        ]

    def cosines(
        self, model: str, vector: NDArray[np.float32], snapshot: Snapshot
    ) -> tuple[Scores, NDArray[np.bool_]]:
        matrix = self.cache.matrix(self.connection, model, snapshot)
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
        number = self.cache.number
        if not self.keeps:
            return fresh_mask(self.connection, number, condition, snapshot)
        with self.cache.lock:
            return self.cache.selections.mask(self.connection, number, condition, snapshot)

    def _labelled(self, sort: str, name: str, snapshot: Snapshot) -> NDArray[np.int64]:
        rows = self.connection.execute(sql.labels.holders, (self.cache.number, sort, name)).fetchall()
        slots = snapshot.slots(np.array([row[0] for row in rows], dtype=np.int64))
        return slots[slots >= 0]


def _affordable(terms: set[str], rows: int, arm: KeywordArm, holding: Callable[[str], int]) -> set[str]:
    """Return the rarest terms within the posting budget: the work is linear in the number of postings."""
    # Mode "all" needs the posting list of every term.
    if arm.mode == "all" or rows * len(terms) <= arm.posting_budget or len(terms) <= _MIN_TERMS:
        return terms
    counts = {term: holding(term) for term in terms}
    spent, chosen = 0, set[str]()
    for place, term in enumerate(sorted(terms, key=lambda each: (counts[each], each))):
        spent += counts[term]
        if place >= _MIN_TERMS and spent > arm.posting_budget:
            break
        chosen.add(term)
    return chosen


def _read_weighed(
    connection: sqlite3.Connection, fields: tuple[float, ...], snapshot: Snapshot, term: str
) -> Weighed:
    return weigh(read_codes(connection, term), fields, snapshot)
