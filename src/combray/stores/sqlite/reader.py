"""Reading one namespace of the file."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from combray.errors import NotFoundError
from combray.runtime import (
    Doubt,
    Keys,
    Link,
    Order,
    Place,
    Run,
    Scores,
)
from combray.scoring.ranking import DECIMALS
from combray.stores.matrix import Matrix, check_dimensions, cosines
from combray.stores.reading import ColumnReader
from combray.stores.rows import (
    listed,
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
from combray.stores.sqlite import selections, sql
from combray.stores.sqlite.cache import NamespaceCache
from combray.stores.sqlite.documents import SqliteDocuments
from combray.stores.sqlite.evidence import SqliteEvidence
from combray.stores.sqlite.namespace import Namespace, Reading, missing
from combray.stores.sqlite.queue import SqliteQueue
from combray.stores.texts import Texts
from combray.types import EDGE_TYPES, LIVE_STATUSES, Edge, Memory, Version
from combray.where import Condition

_counts = msgspec.json.Decoder(dict[str, int]).decode
_MIN_PREFIX = 8
"""Minimum length of an id prefix."""


class SqliteReader(ColumnReader[sqlite3.Connection]):
    """Implements `runtime.Reader`. `scope` restricts all its statements to the namespace."""

    _keeps = True
    """Whether what is read may be kept for others: it is committed."""

    def __init__(self, namespace: str, cache: NamespaceCache, reading: Reading) -> None:
        self.namespace = namespace
        self.cache = cache
        self.scope = Namespace(namespace, reading)
        self.documents = SqliteDocuments(self.scope)
        self.queue = SqliteQueue(self.scope)

    def _view(self) -> AbstractContextManager[tuple[sqlite3.Connection, Snapshot]]:
        return self._caught_up()

    @contextmanager
    def _caught_up(self) -> Iterator[tuple[sqlite3.Connection, Snapshot]]:
        with self.scope.reading() as connection:
            yield connection, self.cache.catch_up(connection)

    def _evidence(self, connection: sqlite3.Connection) -> SqliteEvidence:
        return SqliteEvidence(connection, self.cache, self._keeps)

    def _matrix(self, connection: sqlite3.Connection, model: str, snapshot: Snapshot) -> Matrix | None:
        return self.cache.matrix(connection, model, snapshot)

    def _missing(self, key: int) -> NotFoundError:
        return missing(key, self.namespace)

    def _codes(self, model: str, keys: Keys) -> tuple[dict[int, bytes], int]:
        """Return the int8 codes of the keys, and their length (1 for an unknown model)."""
        with self.scope.reading() as connection:
            known = connection.execute(sql.vectors.model, (model,)).fetchone()
            if known is None:
                return {}, 1
            wanted = listed(map(int, keys))
            return dict(self.scope.rows_in(connection, sql.vectors.codes, known[0], wanted)), int(known[1])

    # -- rows and texts --------------------------------------------------------------------------

    def similarity(self, model: str, vector: NDArray[np.float32], keys: Keys) -> Scores:
        if not (self._keeps and self.cache.has_matrix(model)):
            return super().similarity(model, vector, keys)
        scores = np.zeros(len(keys))
        with self._view() as (connection, snapshot):
            matrix = self._matrix(connection, model, snapshot)
        if matrix is not None:
            slots = snapshot.slots(np.asarray(keys, dtype=np.int64))
            slots, known = slots[slots >= 0], slots >= 0
            if matrix.there[slots].any():
                check_dimensions(model, matrix.dimensions, len(vector))
                found = cosines(matrix.rows[slots], matrix.norms[slots], vector)
                scores[known] = np.round(found, DECIMALS)
        return scores

    def ids(self, keys: Keys) -> list[str]:
        return self._column(sql.memories.ids, keys, "")

    def accesses(self, keys: Keys) -> Scores:
        return np.array(self._column(sql.memories.access_counts, keys, 0), dtype=np.float64)

    def contents(self, keys: Iterable[int]) -> list[str]:
        return self._column(sql.memories.contents, keys, "")

    def _kept(self, statement: str, keys: Iterable[int], texts: Texts, snapshot: Snapshot) -> list[str]:
        """Return texts or ids of committed memories by key. What is read is kept."""
        wanted = [int(key) for key in keys]
        # Texts of memories that are newer than this state may be kept.
        newest = int(snapshot.keys[-1]) if snapshot.count else -1
        found = texts.of(key for key in wanted if key <= newest)
        missing = [key for key in wanted if key not in found]
        if missing:
            read = dict(self.scope.rows(statement, listed(missing)))
            texts.add(read)
            found |= read
        return [found.get(key, "") for key in wanted]

    def _column(self, statement: str, keys: Iterable[int], missing: Any) -> list[Any]:
        wanted = [int(key) for key in keys]
        found = dict(self.scope.rows(statement, listed(wanted))) if wanted else {}
        return [found.get(key, missing) for key in wanted]

    def memories(self, keys: Iterable[int]) -> list[Memory]:
        wanted = [int(key) for key in keys]
        rows = self.scope.rows(sql.memories.whole, listed(wanted)) if wanted else []
        found = {row[0]: to_memory(row, self.namespace) for row in rows}
        return [found[key] for key in wanted if key in found]

    def keys_of(self, ids: Sequence[str]) -> dict[str, int]:
        found = {}
        for wanted in ids:
            row = self.scope.row(sql.memories.with_id, wanted)
            if row is None and len(wanted) >= _MIN_PREFIX:
                # U+10FFFF sorts after every character of an id: a range scan of the (namespace, id) index.
                rows = self.scope.rows(sql.memories.with_id_between, wanted, wanted + "\U0010ffff")
                row = rows[0] if len(rows) == 1 else None
            if row is not None:
                found[wanted] = int(row[0])
        return found

    # -- graph -----------------------------------------------------------------------------------

    def links(self, keys: Iterable[int], types: Sequence[str] = ()) -> list[Link]:
        with self._view() as (connection, snapshot):
            wanted = (listed(self._own(keys, snapshot)), listed(type_codes(types)))
            rows = connection.execute(sql.edges.at_keys, wanted).fetchall()
        return list(map(to_link, snapshot.joinable(rows)))

    def joined(self, keys: Iterable[int], types: Sequence[str] = ()) -> list[tuple[int, int, str]]:
        with self._view() as (connection, snapshot):
            wanted = (listed(self._own(keys, snapshot)), listed(type_codes(types)))
            rows = snapshot.joinable(sorted(set(connection.execute(sql.edges.joined, wanted))))
        return [(source, target, EDGE_TYPES[code]) for source, target, code in rows]

    def _own(self, keys: Iterable[int], snapshot: Snapshot) -> list[int]:
        """Return those of the keys that are in the namespace."""
        wanted = np.fromiter(keys, dtype=np.int64)
        own: list[int] = wanted[snapshot.slots(wanted) >= 0].tolist()
        return own

    def links_to(self, keys: Iterable[int], types: Sequence[str] = ()) -> list[Link]:
        with self._view() as (connection, snapshot):
            wanted = (listed(dict.fromkeys(map(int, keys))), listed(type_codes(types)))
            rows = self.scope.rows_in(connection, sql.edges.to_keys, *wanted)
        return list(map(to_link, snapshot.joinable(rows)))

    def edges(self, types: Sequence[str] = ()) -> list[Edge]:
        return [to_edge(row) for row in self.scope.rows(sql.edges.every, listed(type_codes(types)))]

    # -- lists -----------------------------------------------------------------------------------

    def page(
        self, condition: Condition | None, order: Order, limit: int, after: Place | None = None
    ) -> list[int]:
        statement, values = selections.page(condition, order, after)
        return [row[0] for row in self.scope.rows(statement, *values, limit)]

    def count(self, condition: Condition | None) -> int:
        met, values = selections.met(condition)
        return int(self.scope.row(sql.selections.count.format(met=met), *values)[0])

    # -- counts, histories, logs -------------------------------------------------------------------

    def known_entities(self, candidates: Iterable[str]) -> set[str]:
        with self.scope.reading() as connection:
            number = self.scope.number(connection)
            return {
                each
                for each in candidates
                if connection.execute(sql.labels.is_named, (number, each.casefold())).fetchone()
            }

    def names(self, names: Iterable[str] = (), canonicals: Iterable[str] = ()) -> list[tuple[str, str]]:
        with self.scope.reading() as connection:
            rows = partial(self.scope.rows_in, connection)
            if not rows(sql.aliases.any):
                return []
            names, canonicals = list(names), list(canonicals)
            # A question has five times as many runs of words as words, and next to none begins a known name.
            first = {each: each.partition(" ")[0] for each in (*names, *canonicals)}
            begun = {row[0] for row in rows(sql.aliases.beginning, listed(sorted(set(first.values()))))}
            found = [
                (sql.aliases.canonicals, [each for each in names if first[each] in begun]),
                (sql.aliases.names, [each for each in canonicals if first[each] in begun]),
            ]
            read = (rows(statement, listed(wanted)) for statement, wanted in found if wanted)
            return sorted({(row[0], row[1]) for some in read for row in some})

    def aliases(self, limit: int) -> list[tuple[str, str, str, int]]:
        return [(str(a), str(b), str(c), int(d)) for a, b, c, d in self.scope.rows(sql.aliases.stated, limit)]

    def entity_counts(self, limit: int = 20) -> list[tuple[str, int]]:
        return [(str(name), int(count)) for name, count in self.scope.rows(sql.labels.entity_counts, limit)]

    def kept(self, name: str) -> str:
        with self.scope.reading() as connection:
            number = self.scope.number(connection)
            row = connection.execute(sql.settings.get, (f"{number}:{name}",)).fetchone()
            return "" if row is None else str(row[0])

    def history(self, key: int) -> list[Version]:
        return [to_version(row) for row in self.scope.rows(sql.versions.history, key)]

    def status(self) -> dict[str, Any]:
        by: dict[str, Counter[str]] = {"status": Counter(), "kind": Counter(), "category": Counter()}
        moments: list[int] = []
        with self.scope.reading() as connection:
            rows = partial(self.scope.rows_in, connection)
            for status, kind, category, count, first, last in rows(sql.memories.counts):
                by["status"][status] += count
                moments += first, last
                if status in LIVE_STATUSES:
                    by["kind"][kind] += count
                    by["category"][category] += count
            edges = rows(sql.edges.count_by_type)
            vectors = rows(sql.vectors.count_by_model)
            ((operations,),) = rows(sql.namespaces.count_operations)
        return {
            **{f"by_{name}": dict(sorted(counts.items())) for name, counts in by.items()},
            "edges": reading("an edge", lambda: {EDGE_TYPES[code]: count for code, count in edges}),
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
            for number, at, name, memory_id, detail in self.scope.rows(sql.namespaces.log, limit)
        ]

    def revision(self) -> int:
        with self.scope.reading() as connection:
            row = connection.execute(sql.namespaces.state, (self.namespace,)).fetchone()
            return int(row[1]) if row else 0

    def runs(self, limit: int) -> list[Run]:
        found = []
        for run_id, started, ended, state, counts, seen in self.scope.rows(sql.runs.latest, limit):
            known = reading(f"run {run_id!r}", partial(_counts, counts))
            end = None if ended is None else to_seconds(ended)
            found.append(Run(run_id, to_seconds(started), end, state, known, seen))
        return found

    def changed_by(self, actor: str) -> list[int]:
        return [int(row[0]) for row in self.scope.rows(sql.versions.changed_by, actor)]

    def doubts(self) -> list[Doubt]:
        return [
            Doubt(first, second, why, answer, bool(halved), run)
            for first, second, why, answer, halved, run in self.scope.rows(sql.runs.doubts)
        ]


class SqliteView(SqliteReader):
    """Reads one unchanging state of the file, through one connection."""

    def __init__(self, namespace: str, cache: NamespaceCache, connection: sqlite3.Connection) -> None:
        open_connection = nullcontext(connection)
        super().__init__(namespace, cache, lambda: open_connection)
        with cache.lock:
            snapshot = cache.catch_up(connection)
            # Those of the same epoch: after an erasure the cache has others.
            self._texts, self._ids = cache.texts, cache.ids
        self._snapshot = snapshot
        self._seen = nullcontext((connection, snapshot))
        # The columns were read from the namespace's row, if it has one.
        self.scope.known = cache.number if snapshot.revision >= 0 else self.scope.number(connection)

    def _view(self) -> AbstractContextManager[tuple[sqlite3.Connection, Snapshot]]:
        return self._seen

    def revision(self) -> int:
        return max(0, self._snapshot.revision)

    def contents(self, keys: Iterable[int]) -> list[str]:
        return self._kept(sql.memories.contents, keys, self._texts, self._snapshot)

    def ids(self, keys: Keys) -> list[str]:
        return self._kept(sql.memories.ids, keys, self._ids, self._snapshot)
