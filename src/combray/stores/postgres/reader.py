"""Reading one namespace of the database."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from typing import Any

import msgspec
import numpy as np

from combray.errors import NotFoundError
from combray.runtime import Arm, Doubt, Filter, Found, Keys, Link, Order, Place, Run, Scores
from combray.stores.matrix import Matrix
from combray.stores.postgres import selections, sql
from combray.stores.postgres.cache import NamespaceCache
from combray.stores.postgres.documents import PostgresDocuments
from combray.stores.postgres.evidence import PostgresEvidence
from combray.stores.postgres.nearness import Remote
from combray.stores.postgres.queue import PostgresQueue
from combray.stores.postgres.session import Session, missing
from combray.stores.reading import ColumnReader
from combray.stores.rows import (
    moment_of,
    reading,
    to_edge,
    to_link,
    to_memory,
    to_seconds,
    to_version,
    type_codes,
)
from combray.stores.snapshot import Snapshot
from combray.types import EDGE_TYPES, LIVE_STATUSES, Edge, Memory, Version
from combray.where import Condition

Reading = Callable[[], AbstractContextManager[Session]]
"""Opens a transaction that sees one unchanging state of the namespace."""

_counts = msgspec.json.Decoder(dict[str, int]).decode
_LIKELY = 40
"""Best entries of each list whose texts are prefetched."""
_MIN_PREFIX = 8
"""Minimum length of an id prefix."""


class PostgresReader(ColumnReader[Session]):
    """Implements `runtime.Reader`."""

    _keeps = True
    """Whether what is read may be kept for others: it is committed."""

    def __init__(self, namespace: str, cache: NamespaceCache, reading: Reading) -> None:
        self.namespace = namespace
        self.cache = cache
        self._reading = reading
        self.documents = PostgresDocuments(reading)
        self.queue = PostgresQueue(reading)

    @contextmanager
    def _view(self) -> Iterator[tuple[Session, Snapshot]]:
        with self._reading() as session:
            yield session, self.cache.catch_up(session)

    def _evidence(self, session: Session) -> PostgresEvidence:
        return PostgresEvidence(session, self.cache, self._keeps)

    def _matrix(self, session: Session, model: str, snapshot: Snapshot) -> Matrix | Remote | None:
        return self.cache.matrix(session, model, snapshot)

    def _missing(self, key: int) -> NotFoundError:
        return missing(key, self.namespace)

    def _codes(self, model: str, keys: Keys) -> tuple[dict[int, bytes], int]:
        with self._reading() as session:
            known = session.model(model)
            if known is None:
                return {}, 1
            number, dimensions = known
            return dict(session.of_rows(sql.vectors.codes, number, [int(key) for key in keys])), int(dimensions)

    def _rows(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        with self._reading() as session:
            return session.of_rows(statement, *values)

    # -- rows and texts --------------------------------------------------------------------------

    def ids(self, keys: Keys) -> list[str]:
        wanted = [int(key) for key in keys]
        if not wanted:
            return []
        with self._reading() as session:
            if self._keeps:
                found = self.cache.ids(session, wanted)
            else:
                found = dict(session.of_rows(sql.memories.ids, wanted))
        return [found.get(key, "") for key in wanted]

    def accesses(self, keys: Keys) -> Scores:
        return np.array(self._column(sql.memories.access_counts, keys, 0), dtype=np.float64)

    def contents(self, keys: Iterable[int]) -> list[str]:
        return self._column(sql.memories.contents, keys, "")

    def _column(self, statement: str, keys: Iterable[int], otherwise: Any) -> list[Any]:
        wanted = [int(key) for key in keys]
        found = dict(self._rows(statement, wanted)) if wanted else {}
        return [found.get(key, otherwise) for key in wanted]

    def memories(self, keys: Iterable[int]) -> list[Memory]:
        wanted = [int(key) for key in keys]
        rows = self._rows(sql.memories.whole, wanted) if wanted else []
        found = {row[0]: to_memory(row, self.namespace) for row in rows}
        return [found[key] for key in wanted if key in found]

    def keys_of(self, ids: Sequence[str]) -> dict[str, int]:
        with self._reading() as session:
            known: dict[str, int] = dict(session.of_rows(sql.memories.with_ids, list(ids)))
            found = {}
            for wanted in ids:
                if wanted in known:
                    found[wanted] = int(known[wanted])
                elif len(wanted) >= _MIN_PREFIX:
                    # U+10FFFF sorts after every character of an id: a range scan of the (namespace, id) index.
                    rows = session.of_rows(sql.memories.with_id_between, wanted, wanted + "\U0010ffff")
                    if len(rows) == 1:
                        found[wanted] = int(rows[0][0])
            return found

    # -- graph -----------------------------------------------------------------------------------

    def links(self, keys: Iterable[int], types: Sequence[str] = ()) -> list[Link]:
        with self._view() as (session, snapshot):
            rows = session.of_rows(sql.edges.at_keys, [int(key) for key in keys], type_codes(types))
        return list(map(to_link, snapshot.joinable(rows)))

    def joined(self, keys: Iterable[int], types: Sequence[str] = ()) -> list[tuple[int, int, str]]:
        return list(dict.fromkeys((each.source, each.target, each.type) for each in self.links(keys, types)))

    def links_to(self, keys: Iterable[int], types: Sequence[str] = ()) -> list[Link]:
        with self._view() as (session, snapshot):
            rows = session.of_rows(sql.edges.to_keys, [int(key) for key in keys], type_codes(types))
        return list(map(to_link, snapshot.joinable(rows)))

    def edges(self, types: Sequence[str] = ()) -> list[Edge]:
        return [to_edge(row) for row in self._rows(sql.edges.every, type_codes(types))]

    # -- lists -----------------------------------------------------------------------------------

    def page(
        self, condition: Condition | None, order: Order, limit: int, after: Place | None = None
    ) -> list[int]:
        with self._reading() as session:
            return selections.page(session, condition, order, limit, after)

    def count(self, condition: Condition | None) -> int:
        with self._reading() as session:
            return selections.count(session, condition)

    # -- counts, histories, logs -------------------------------------------------------------------

    def known_entities(self, candidates: Iterable[str]) -> set[str]:
        given = list(candidates)
        named = {row[0] for row in self._rows(sql.labels.named, [each.casefold() for each in given])}
        return {each for each in given if each.casefold() in named}

    def names(self, names: Iterable[str] = (), canonicals: Iterable[str] = ()) -> list[tuple[str, str]]:
        with self._reading() as session:
            if not (self.cache.has_names(session) if self._keeps else session.of_rows(sql.aliases.any)):
                return []
            return sorted(
                (row[0], row[1]) for row in session.of_rows(sql.aliases.pairs, list(names), list(canonicals))
            )

    def aliases(self, limit: int) -> list[tuple[str, str, str, int]]:
        return [(str(a), str(b), str(c), int(d)) for a, b, c, d in self._rows(sql.aliases.stated, limit)]

    def entity_counts(self, limit: int = 20) -> list[tuple[str, int]]:
        return [(str(name), int(count)) for name, count in self._rows(sql.labels.entity_counts, limit)]

    def history(self, key: int) -> list[Version]:
        return [to_version(row) for row in self._rows(sql.versions.history, int(key))]

    def status(self) -> dict[str, Any]:
        by: dict[str, Counter[str]] = {"status": Counter(), "kind": Counter(), "category": Counter()}
        moments: list[int] = []
        with self._reading() as session:
            for status, kind, category, count, first, last in session.of_rows(sql.memories.counts):
                by["status"][status] += count
                moments += first, last
                if status in LIVE_STATUSES:
                    by["kind"][kind] += count
                    by["category"][category] += count
            edges = session.of_rows(sql.edges.count_by_type)
            vectors = session.of_rows(sql.vectors.count_by_model)
            ((operations,),) = session.of_rows(sql.namespaces.count_operations)
        return {
            **{f"by_{name}": dict(sorted(counts.items())) for name, counts in by.items()},
            "edges": {EDGE_TYPES[code]: count for code, count in sorted(edges)},
            "vectors": dict(vectors),
            "operations": operations,
            "first_moment": reading("the first moment", lambda: moment_of(min(moments, default=None))),
            "last_moment": reading("the last moment", lambda: moment_of(max(moments, default=None))),
        }

    def log(self, limit: int) -> list[dict[str, Any]]:
        return [
            {
                "number": number,
                "at": reading(f"operation {number}", partial(moment_of, at)),
                "operation": name,
                "memory_id": memory_id,
                "detail": detail,
            }
            for number, at, name, memory_id, detail in self._rows(sql.namespaces.log, limit)
        ]

    def revision(self) -> int:
        with self._reading() as session:
            return session.state.revision if session.state else 0

    def kept(self, name: str) -> str:
        rows = self._rows(sql.namespaces.kept, name)
        return str(rows[0][0]) if rows else ""

    def runs(self, limit: int) -> list[Run]:
        found = []
        for run_id, started, ended, state, counts, seen in self._rows(sql.runs.latest, limit):
            known = reading(f"run {run_id!r}", partial(_counts, counts))
            end = None if ended is None else to_seconds(ended)
            found.append(Run(run_id, to_seconds(started), end, state, known, seen))
        return found

    def changed_by(self, actor: str) -> list[int]:
        return [int(row[0]) for row in self._rows(sql.versions.changed_by, actor)]

    def doubts(self) -> list[Doubt]:
        return [
            Doubt(first, second, why, answer, bool(halved), run)
            for first, second, why, answer, halved, run in self._rows(sql.runs.doubts)
        ]


class PostgresView(PostgresReader):
    """Reads one unchanging state of the namespace, in one transaction.

    It prefetches what a recall asks for next: the first read of a text also reads texts and ids of the best of
    every list, and a read of edges also reads the memories that the edges lead to.
    """

    def __init__(self, cache: NamespaceCache, session: Session) -> None:
        super().__init__(session.name, cache, lambda: nullcontext(session))
        self._session = session
        self._snapshot = cache.catch_up(session)
        self._likely: list[int] = []
        self._texts: dict[int, str] = {}
        self._whole: dict[int, tuple[Any, ...]] = {}
        self._coded: tuple[Any, tuple[dict[int, bytes], int]] = None, ({}, 1)

    @contextmanager
    def _view(self) -> Iterator[tuple[Session, Snapshot]]:
        yield self._session, self._snapshot

    def search(self, arms: Mapping[str, Arm], where: Filter, limit: int) -> Found:
        found = super().search(arms, where, limit)
        self._likely = [int(key) for each in found.lists.values() for key in each.keys[:_LIKELY]]
        return found

    def contents(self, keys: Iterable[int]) -> list[str]:
        wanted = [int(key) for key in keys]
        missing = dict.fromkeys(key for key in wanted if key not in self._texts)
        if missing:
            missing |= dict.fromkeys(key for key in self._likely if key not in self._texts)
            self._likely = []
            rows = self._session.of_rows(sql.memories.texts, list(missing))
            self._texts |= dict.fromkeys(missing, "") | {key: text for key, _, text in rows}
            self.cache.keep_ids(self._session, {key: known for key, known, _ in rows})
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
        return [to_memory(self._whole[key], self.namespace) for key in wanted if key in self._whole]
