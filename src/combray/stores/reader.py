"""Reading one namespace of a database: what stands in its tables."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

import msgspec
import numpy as np

from combray.runtime import Doubt, Keys, Link, Order, Place, Run, Scores
from combray.stores.cache import C, Texts
from combray.stores.column_reader import ColumnReader
from combray.stores.conditions import behind, ordering
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
from combray.stores.session import S
from combray.stores.snapshot import Snapshot
from combray.types import EDGE_TYPES, LIVE_STATUSES, Edge, Memory, Version
from combray.where import Condition

_counts = msgspec.json.Decoder(dict[str, int]).decode
_MIN_PREFIX = 8
"""Minimum length of an id prefix."""


class StoredReader(ColumnReader[S, C]):
    """Implements `runtime.Reader`, but for the methods that a database supplies."""

    @abstractmethod
    def names(self, names: Iterable[str] = (), canonicals: Iterable[str] = ()) -> list[tuple[str, str]]:
        """As `runtime.Reader` has it."""

    @abstractmethod
    def _with_ids(self, session: S, ids: Sequence[str]) -> dict[str, int]:
        """Return the keys of the memories with these ids."""

    # -- rows and texts --------------------------------------------------------------------------

    def ids(self, keys: Keys) -> list[str]:
        return self._column(self.sql.memories.ids, keys, "")

    def accesses(self, keys: Keys) -> Scores:
        return np.array(self._column(self.sql.memories.access_counts, keys, 0), dtype=np.float64)

    def contents(self, keys: Iterable[int]) -> list[str]:
        return self._column(self.sql.memories.contents, keys, "")

    def _column(self, statement: str, keys: Iterable[int], otherwise: Any) -> list[Any]:
        wanted = [int(key) for key in keys]
        found: dict[int, Any] = dict(self._rows(statement, wanted)) if wanted else {}
        return [found.get(key, otherwise) for key in wanted]

    def _kept(self, statement: str, keys: Iterable[int], texts: Texts, snapshot: Snapshot) -> list[str]:
        """Return texts or ids of committed memories by key. What is read is kept."""
        wanted = [int(key) for key in keys]
        # Texts of memories that are newer than this state may be kept.
        newest = int(snapshot.keys[-1]) if snapshot.count else -1
        found = texts.of(key for key in wanted if key <= newest)
        missing = [key for key in wanted if key not in found]
        if missing:
            read: dict[int, str] = dict(self._rows(statement, missing))
            texts.add(read)
            found |= read
        return [found.get(key, "") for key in wanted]

    def memories(self, keys: Iterable[int]) -> list[Memory]:
        wanted = [int(key) for key in keys]
        rows = self._rows(self.sql.memories.whole, wanted) if wanted else []
        found = {row[0]: to_memory(row, self.namespace, self.cache.zone) for row in rows}
        return [found[key] for key in wanted if key in found]

    def keys_of(self, ids: Sequence[str]) -> dict[str, int]:
        with self.open_session() as session:
            known = self._with_ids(session, ids)
            found = {}
            for wanted in ids:
                if wanted in known:
                    found[wanted] = known[wanted]
                elif len(wanted) >= _MIN_PREFIX:
                    # U+10FFFF sorts after every character of an id: a range scan of the (namespace, id) index.
                    end = wanted + "\U0010ffff"
                    rows = session.of_rows(self.sql.memories.with_id_between, wanted, end)
                    if len(rows) == 1:
                        found[wanted] = int(rows[0][0])
            return found

    # -- graph -----------------------------------------------------------------------------------

    def links(self, keys: Iterable[int], types: Sequence[str] = ()) -> list[Link]:
        with self._view() as (session, snapshot):
            rows = session.of_rows(self.sql.edges.at_keys, self._own(keys, snapshot), type_codes(types))
        return list(map(to_link, snapshot.joinable(rows)))

    def joined(self, keys: Iterable[int], types: Sequence[str] = ()) -> list[tuple[int, int, str]]:
        with self._view() as (session, snapshot):
            rows = session.of_rows(self.sql.edges.joined, self._own(keys, snapshot), type_codes(types))
        return [
            (source, target, EDGE_TYPES[code]) for source, target, code in snapshot.joinable(sorted(set(rows)))
        ]

    def _own(self, keys: Iterable[int], snapshot: Snapshot) -> list[int]:
        """Return those of the keys that are in the namespace."""
        wanted = np.fromiter(keys, dtype=np.int64)
        own: list[int] = wanted[snapshot.slots(wanted) >= 0].tolist()
        return own

    def links_to(self, keys: Iterable[int], types: Sequence[str] = ()) -> list[Link]:
        with self._view() as (session, snapshot):
            wanted = list(dict.fromkeys(map(int, keys)))
            rows = session.of_rows(self.sql.edges.to_keys, wanted, type_codes(types))
        return list(map(to_link, snapshot.joinable(rows)))

    def edges(self, types: Sequence[str] = ()) -> list[Edge]:
        return [to_edge(row) for row in self._rows(self.sql.edges.every, type_codes(types))]

    # -- lists -----------------------------------------------------------------------------------

    def page(
        self, condition: Condition | None, order: Order, limit: int, after: Place | None = None
    ) -> list[int]:
        with self.open_session() as session:
            text, values = ("true", []) if condition is None else session.condition(condition)
            later, bounds = behind(order, after)
            statement = self.sql.selections.page.format(
                met=session.numbered(text, 3),
                after=session.numbered(later, 3 + len(values)),
                order=ordering(order),
            )
            return [int(row[0]) for row in session.of_rows(statement, limit, *values, *bounds)]

    def count(self, condition: Condition | None) -> int:
        with self.open_session() as session:
            text, values = ("true", []) if condition is None else session.condition(condition)
            statement = self.sql.selections.count.format(met=session.numbered(text, 2))
            ((found,),) = session.of_rows(statement, *values)
            return int(found)

    # -- counts, histories, logs -------------------------------------------------------------------

    def aliases(self, limit: int) -> list[tuple[str, str, str, int]]:
        return [(str(a), str(b), str(c), int(d)) for a, b, c, d in self._rows(self.sql.aliases.stated, limit)]

    def known_entities(self, candidates: Iterable[str]) -> set[str]:
        folded = {each: each.casefold() for each in candidates}
        rows = self._rows(self.sql.labels.named, sorted(set(folded.values()))) if folded else []
        named = {row[0] for row in rows}
        return {each for each, name in folded.items() if name in named}

    def entity_counts(self, limit: int = 20) -> list[tuple[str, int]]:
        return [(str(name), int(count)) for name, count in self._rows(self.sql.labels.entity_counts, limit)]

    def kept(self, name: str) -> str:
        rows = self._rows(self.sql.namespaces.kept, name)
        return str(rows[0][0]) if rows else ""

    def history(self, key: int) -> list[Version]:
        return [to_version(row, self.cache.zone) for row in self._rows(self.sql.versions.history, int(key))]

    def status(self) -> dict[str, Any]:
        by: dict[str, Counter[str]] = {"status": Counter(), "kind": Counter(), "category": Counter()}
        moments: list[int] = []
        zone = self.cache.zone
        with self.open_session() as session:
            for status, kind, category, count, first, last in session.of_rows(self.sql.memories.counts):
                by["status"][status] += count
                moments += first, last
                if status in LIVE_STATUSES:
                    by["kind"][kind] += count
                    by["category"][category] += count
            edges = session.of_rows(self.sql.edges.count_by_type)
            vectors = session.of_rows(self.sql.vectors.count_by_model)
            tokens = session.of_rows(self.sql.tokens.measure)
            ((operations,),) = session.of_rows(self.sql.namespaces.count_operations)
        return {
            **{f"by_{name}": dict(sorted(counts.items())) for name, counts in by.items()},
            "edges": reading("an edge", lambda: {EDGE_TYPES[code]: count for code, count in sorted(edges)}),
            "vectors": dict(vectors),
            "token_vectors": {model: {"memories": count, "bytes": size} for model, count, size in tokens},
            "operations": operations,
            "first_moment": reading("the first moment", lambda: moment_of(min(moments, default=None), zone)),
            "last_moment": reading("the last moment", lambda: moment_of(max(moments, default=None), zone)),
        }

    def log(self, limit: int, *, after: int | None = None) -> list[dict[str, Any]]:
        if after is None:
            rows = self._rows(self.sql.namespaces.log, limit)
        else:
            rows = self._rows(self.sql.namespaces.log_after, after, limit)
        return [
            {
                "number": number,
                "at": reading(f"operation {number}", partial(moment_of, at, self.cache.zone)),
                "operation": name,
                "memory_id": memory_id,
                "detail": detail,
            }
            for number, at, name, memory_id, detail in rows
        ]

    def revision(self) -> int:
        with self.open_session() as session:
            return session.state.revision if session.state else 0

    def runs(self, limit: int) -> list[Run]:
        found = []
        for run_id, started, ended, state, counts in self._rows(self.sql.runs.latest, limit):
            known = reading(f"run {run_id!r}", partial(_counts, counts))
            end = None if ended is None else to_seconds(ended)
            found.append(Run(run_id, to_seconds(started), end, state, known))
        return found

    def changed_by(self, actor: str) -> list[int]:
        return [int(row[0]) for row in self._rows(self.sql.versions.changed_by, actor)]

    def doubts(self) -> list[Doubt]:
        return [
            Doubt(first, second, why, answer, bool(halved), run)
            for first, second, why, answer, halved, run in self._rows(self.sql.runs.doubts)
        ]
