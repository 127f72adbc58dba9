"""Reading one namespace of the database, and what its retrieval arms read: posting lists and cosines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np
from numpy.typing import NDArray

from combray.records import dataclass
from combray.runtime import Arm, Filter, Found, Keys, KeywordArm, Link
from combray.scoring.bm25f import Posting
from combray.stores.evidence import StoredEvidence
from combray.stores.matrix import Matrix, check_dimensions
from combray.stores.postgres.cache import PostgresNamespaceCache
from combray.stores.postgres.nearness import Remote
from combray.stores.postgres.postings import holding, read_codes
from combray.stores.postgres.session import PostgresSession
from combray.stores.postgres.sql import sql
from combray.stores.postings import affordable, weigh
from combray.stores.reader import StoredReader
from combray.stores.rows import to_link, to_memory, type_codes
from combray.stores.scored import Measured
from combray.stores.snapshot import Snapshot
from combray.types import Memory


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


_LIKELY = 40
"""Best entries of each list whose texts are prefetched."""


class PostgresReader(StoredReader[PostgresSession, PostgresNamespaceCache]):
    """Implements `runtime.Reader`."""

    sql = sql

    def _evidence(self, session: PostgresSession) -> PostgresEvidence:
        return PostgresEvidence(session, self.cache, self.keeps)

    def _matrix(self, session: PostgresSession, model: str, snapshot: Snapshot) -> Matrix | Remote | None:
        return self.cache.matrix(session, model, snapshot)

    def _with_ids(self, session: PostgresSession, ids: Sequence[str]) -> dict[str, int]:
        return {str(known): int(key) for known, key in session.of_rows(sql.memories.with_ids, list(ids))}

    def names(self, names: Iterable[str] = (), canonicals: Iterable[str] = ()) -> list[tuple[str, str]]:
        with self.open_session() as session:
            if not (self.cache.has_names(session) if self.keeps else session.of_rows(sql.aliases.any)):
                return []
            return sorted(
                (row[0], row[1]) for row in session.of_rows(sql.aliases.pairs, list(names), list(canonicals))
            )


class PostgresView(PostgresReader):
    """Reads one unchanging state of the namespace, in one transaction.

    It prefetches what a recall asks for next: the first read of a text also reads texts and ids of the best of
    every list, and a read of edges also reads the memories that the edges lead to.
    """

    def __init__(self, cache: PostgresNamespaceCache, session: PostgresSession) -> None:
        with cache.lock:
            snapshot = cache.catch_up(session)
            # Those of the same epoch: after an erasure the cache has others.
            self._ids = cache.ids
        super().__init__(session.name, cache, lambda: nullcontext(session), (session, snapshot))
        self._session, self._snapshot = session, snapshot
        self._likely: list[int] = []
        self._texts: dict[int, str] = {}
        self._whole: dict[int, tuple[Any, ...]] = {}
        self._coded: tuple[Any, tuple[dict[int, bytes], int]] = None, ({}, 1)

    def search(self, arms: Mapping[str, Arm], where: Filter, limit: int) -> Found:
        found = super().search(arms, where, limit)
        self._likely = [int(key) for each in found.lists.values() for key in each.keys[:_LIKELY]]
        return found

    def ids(self, keys: Keys) -> list[str]:
        return self._kept(sql.memories.ids, keys, self._ids, self._snapshot)

    def contents(self, keys: Iterable[int]) -> list[str]:
        wanted = [int(key) for key in keys]
        missing = dict.fromkeys(key for key in wanted if key not in self._texts)
        if missing:
            missing |= dict.fromkeys(key for key in self._likely if key not in self._texts)
            self._likely = []
            rows = self._session.of_rows(sql.memories.texts, list(missing))
            self._texts |= dict.fromkeys(missing, "") | {key: text for key, _, text in rows}
            self._ids.add({key: known for key, known, _ in rows})
        return [self._texts[key] for key in wanted]

    def _codes(self, model: str, keys: Keys) -> tuple[dict[int, bytes], int]:
        asked = model, tuple(int(key) for key in keys)
        if self._coded[0] != asked:
            # Whether vectors are there and how similar they are is asked for the same keys.
            self._coded = asked, super()._codes(model, keys)
        return self._coded[1]

    def links_to(self, keys: Iterable[int], types: Sequence[str] = ()) -> list[Link]:
        wanted = [int(key) for key in keys]
        ahead = [key for key in wanted if key not in self._whole][:_LIKELY]
        rows, whole = self._session.of_several(
            (sql.edges.to_keys, wanted, type_codes(types)), (sql.memories.whole, ahead)
        )
        self._whole |= {row[0]: row for row in whole}
        return list(map(to_link, self._snapshot.joinable(rows)))

    def memories(self, keys: Iterable[int]) -> list[Memory]:
        wanted = [int(key) for key in keys]
        missing = [key for key in wanted if key not in self._whole]
        if missing:
            self._whole |= {row[0]: row for row in self._session.of_rows(sql.memories.whole, missing)}
        return [
            to_memory(self._whole[key], self.namespace, self.cache.zone) for key in wanted if key in self._whole
        ]
