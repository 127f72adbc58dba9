"""Reading one namespace of the file."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from combray.errors import NotFoundError
from combray.runtime import (
    SHAPE_WORDS,
    Arm,
    Doubt,
    Filter,
    Found,
    Keys,
    Link,
    Profile,
    Ranked,
    Rows,
    Run,
    Scores,
    Vectors,
)
from combray.scoring.ranking import DECIMALS
from combray.stores import arms as arms_module
from combray.stores.columns import Snapshot
from combray.stores.matrix import check_dimensions, cosines, decode, norms, whole
from combray.stores.profile import profile
from combray.stores.sqlite import queries, runs
from combray.stores.sqlite.cache import NamespaceCache
from combray.stores.sqlite.documents import SqliteDocuments
from combray.stores.sqlite.evidence import SqliteEvidence
from combray.stores.sqlite.queue import SqliteQueue
from combray.stores.sqlite.rows import SELECT, to_memory
from combray.types import EDGE_TYPES, Edge, Memory, Version

Connection = sqlite3.Connection
_CHUNK = 900
"""Keys named in one statement: SQLite builds elsewhere allow as few as 999 parameters."""


def chunks(keys: Iterable[int]) -> Iterator[list[int]]:
    """Lists short enough for one statement."""
    every = [int(key) for key in keys]
    for start in range(0, len(every), _CHUNK):
        yield every[start : start + _CHUNK]


def marks(values: Sequence[Any]) -> str:
    """One question mark a value."""
    return ", ".join("?" * len(values))


class SqliteReader:
    """Implements `runtime.Reader`. `reading` gives a connection that sees one unchanging state."""

    def __init__(
        self,
        namespace: str,
        cache: NamespaceCache,
        reading: Callable[[], AbstractContextManager[Connection]],
    ) -> None:
        self.namespace = namespace
        self.cache = cache
        self.reading = reading

    @contextmanager
    def _view(self) -> Iterator[tuple[Connection, Snapshot]]:
        with self.reading() as connection:
            yield connection, self.cache.catch_up(connection)

    def _evidence(self, connection: Connection) -> SqliteEvidence:
        return SqliteEvidence(connection, self.cache, keeps=True)

    # -- retrieval -------------------------------------------------------------------------------

    def search(self, arms: Mapping[str, Arm], where: Filter, limit: int) -> Found:
        """Run every arm and score the union of their lists by all of them."""
        with self._view() as (connection, snapshot):
            return arms_module.search(self._evidence(connection), snapshot, arms, where, limit)

    def scan(self, where: Filter, *, newest_first: bool = False, limit: int | None = None) -> Keys:
        """Keys of all rows the filter lets through, by moment then key."""
        with self._view() as (connection, snapshot):
            eligible = arms_module.eligible_rows(self._evidence(connection), snapshot, where)
            places = np.flatnonzero(eligible)
            order = places[np.lexsort((snapshot.keys[places], snapshot.moment[places]))]
            if newest_first:
                order = order[::-1]
            result: Keys = snapshot.keys[order[:limit]].copy()
            return result

    def nearest(self, model: str, vectors: Vectors, where: Filter, limit: int, minimum: float) -> list[Ranked]:
        """The nearest committed memories of each vector."""
        with self._view() as (connection, snapshot):
            matrix = self.cache.matrix(connection, model, snapshot)
            if matrix is None:
                return [Ranked(np.zeros(0, np.int64), np.zeros(0)) for _ in vectors]
            check_dimensions(model, matrix.dimensions, vectors.shape[1])
            eligible = arms_module.findable_rows(self._evidence(connection), snapshot, where)
            return matrix.nearest(vectors, snapshot.keys, eligible, limit, minimum)

    def eligible(self, keys: Keys, where: Filter) -> NDArray[np.bool_]:
        """Which of the keys the filter lets through."""
        with self._view() as (connection, snapshot):
            mask = arms_module.eligible_rows(self._evidence(connection), snapshot, where)
            slots = snapshot.slots(np.asarray(keys, dtype=np.int64))
            result: NDArray[np.bool_] = np.zeros(len(slots), dtype=np.bool_)
            result[slots >= 0] = mask[slots[slots >= 0]]
            return result

    def covered(self, model: str, where: Filter) -> tuple[int, int]:
        """How many rows that the filter lets through have a vector, and how many it lets through."""
        with self._view() as (connection, snapshot):
            eligible = arms_module.eligible_rows(self._evidence(connection), snapshot, where)
            matrix = self.cache.matrix(connection, model, snapshot)
            has = 0 if matrix is None else int((eligible & matrix.there[: snapshot.count]).sum())
            return has, int(eligible.sum())

    def similarity(self, model: str, vector: NDArray[np.float32], keys: Keys) -> Scores:
        """Cosine with each key's vector."""
        codes, dimensions = self._codes(model, keys)
        scores = np.zeros(len(keys))
        if codes:
            check_dimensions(model, dimensions, len(vector))
            places = [place for place, key in enumerate(keys) if int(key) in codes]
            coded = whole([codes[int(keys[place])] for place in places], dimensions)
            scores[places] = np.round(cosines(coded, norms(coded), vector), DECIMALS)
        return scores

    def vectors(self, model: str, keys: Keys) -> tuple[Vectors, NDArray[np.bool_]]:
        """Vectors of the keys, read from the file."""
        codes, dimensions = self._codes(model, keys)
        rows = np.zeros((len(keys), dimensions), dtype=np.float32)
        has = np.array([int(key) in codes for key in keys], dtype=np.bool_)
        if has.any():
            rows[has] = decode([codes[int(key)] for key in keys if int(key) in codes], dimensions)
        return rows, has

    def _codes(self, model: str, keys: Keys) -> tuple[dict[int, bytes], int]:
        """int8 codes of the keys that have one, and their length (1 for an unknown model)."""
        codes: dict[int, bytes] = {}
        with self.reading() as connection:
            known = connection.execute("SELECT id, dimensions FROM model WHERE name = ?", (model,)).fetchone()
            if known is None:
                return codes, 1
            number = self._number(connection)
            for some in chunks(keys):
                wanted = f"namespace = ? AND model = ? AND key IN ({marks(some)})"
                sql = f"SELECT key, code FROM vector WHERE {wanted}"
                codes.update(connection.execute(sql, (number, known[0], *some)).fetchall())
        return codes, int(known[1])

    # -- rows and texts --------------------------------------------------------------------------

    def rows(self, keys: Keys) -> Rows:
        """Columns of the given keys, in their order. Raises NotFoundError for a key of no memory here."""
        with self._view() as (_, snapshot):
            wanted = np.asarray(keys, dtype=np.int64)
            slots = snapshot.slots(wanted)
            if (slots < 0).any():
                raise NotFoundError(
                    f"no memory with key {int(wanted[slots < 0][0])} in namespace {self.namespace!r}"
                )
        column = {name: values[slots] for name, values in snapshot.columns.items()}
        return Rows(
            keys=wanted,
            author=column["author"].astype(np.int64),
            author_names=snapshot.author_names,
            session=column["session"].astype(np.int64),
            position=column["position"],
            words=column["words"].astype(np.int64),
            moment=column["moment"],
            recorded=column["recorded"],
            importance=column["importance"].astype(np.float64),
            confidence=column["confidence"],
            tier=column["tier"].astype(np.int64),
            asks=column["asks"],
            times=column["times"],
            cues=column["cues"].astype(np.int64),
            gain=snapshot.gain(SHAPE_WORDS)[slots],
        )

    def ids(self, keys: Keys) -> list[str]:
        """Ids in the order of the keys."""
        found = self._column("id", keys)
        return [found.get(int(key), "") for key in keys]

    def accesses(self, keys: Keys) -> Scores:
        """Access counts in the order of the keys."""
        found = self._column("access_count", keys)
        return np.array([found.get(int(key), 0) for key in keys], dtype=np.float64)

    def _column(self, name: str, keys: Iterable[int]) -> dict[int, Any]:
        found: dict[int, Any] = {}
        with self.reading() as connection:
            number = self._number(connection)
            for some in chunks(keys):
                # The plus keeps SQLite off the namespace's indexes: the keys are what is rare.
                sql = f"SELECT key, {name} FROM memory WHERE +namespace = ? AND key IN ({marks(some)})"
                found.update(connection.execute(sql, (number, *some)).fetchall())
        return found

    def memories(self, keys: Iterable[int]) -> list[Memory]:
        """Whole memories in the order of the keys."""
        wanted = [int(key) for key in keys]
        with self.reading() as connection:
            number = self._number(connection)
            found = {}
            for some in chunks(wanted):
                sql = f"{SELECT} WHERE +namespace = ? AND key IN ({marks(some)})"
                for row in connection.execute(sql, (number, *some)):
                    found[row[0]] = to_memory(row[1:], self.namespace)
        return [found[key] for key in wanted if key in found]

    def contents(self, keys: Iterable[int]) -> list[str]:
        """Texts in the order of the keys; "" for a key of no memory here."""
        wanted = [int(key) for key in keys]
        found = self._column("content", wanted)
        return [found.get(key, "") for key in wanted]

    def keys_of(self, ids: Sequence[str]) -> dict[str, int]:
        """Keys of full ids, or of prefixes of at least eight characters that only one id has."""
        with self.reading() as connection:
            number = self._number(connection)
            return {
                wanted: key for wanted in ids if (key := queries.key_of(connection, number, wanted)) is not None
            }

    def neighbours(self, keys: Keys, before: int, after: int) -> list[list[int]]:
        """Keys of the turns around each key in its session, in order."""
        with self._view() as (_, snapshot):
            slots = snapshot.slots(np.asarray(keys, dtype=np.int64))
            return [
                [int(snapshot.keys[each]) for each in _around(snapshot, int(slot), before, after)]
                for slot in slots
            ]

    def profile(self) -> Profile:
        """What the data looks like, from live memories."""
        with self._view() as (_, snapshot):
            return profile(snapshot)

    # -- graph -----------------------------------------------------------------------------------

    def links(self, keys: Iterable[int], types: Sequence[str] = ()) -> list[Link]:
        """Every edge at one of the keys, one query for the whole frontier; none to what is in quarantine."""
        with self._view() as (connection, snapshot):
            found: dict[tuple[int, int, int, str], Link] = {}
            number = self._number(connection)
            for some in chunks(keys):
                queries.collect_links(connection, number, some, types, found)
        links = [found[place] for place in sorted(found)]
        return [each for each in links if not snapshot.keeps_apart(each.source, each.target)]

    def edges(self, types: Sequence[str] = ()) -> list[Edge]:
        """All edges of the namespace with ids."""
        with self.reading() as connection:
            return queries.all_edges(connection, self._number(connection), types or EDGE_TYPES)

    # -- people's questions ----------------------------------------------------------------------

    def known_entities(self, candidates: Iterable[str]) -> set[str]:
        """Which candidates some live memory names, as given."""
        folded: dict[str, list[str]] = {}
        for each in candidates:
            folded.setdefault(each.casefold(), []).append(each)
        with self.reading() as connection:
            number = self._number(connection)
            return {
                spelling
                for name, spellings in folded.items()
                if connection.execute(queries.NAMED, (number, name)).fetchone()
                for spelling in spellings
            }

    def entity_counts(self, limit: int = 20) -> list[tuple[str, int]]:
        """The most named entities."""
        with self.reading() as connection:
            rows = connection.execute(queries.ENTITY_COUNTS, (self._number(connection), limit)).fetchall()
            return [(str(name), int(count)) for name, count in rows]

    def history(self, key: int) -> list[Version]:
        """Every change of a memory, oldest first."""
        with self.reading() as connection:
            return queries.versions(connection, self._number(connection), key)

    def status(self) -> dict[str, Any]:
        """Counts for people."""
        with self.reading() as connection:
            return queries.counts(connection, self._number(connection))

    def log(self, limit: int) -> list[dict[str, Any]]:
        """The latest operations, newest first."""
        with self.reading() as connection:
            return queries.operations(connection, self._number(connection), limit)

    def revision(self) -> int:
        """Grows with every committed write."""
        with self.reading() as connection:
            row = connection.execute(
                "SELECT revision FROM namespace WHERE name = ?", (self.namespace,)
            ).fetchone()
            return int(row[0]) if row else 0

    def runs(self, limit: int) -> list[Run]:
        """The latest runs of consolidation, newest first."""
        with self.reading() as connection:
            return runs.runs(connection, self._number(connection), limit)

    def changed_by(self, actor: str) -> list[int]:
        """Keys of the memories an actor has changed."""
        with self.reading() as connection:
            return runs.changed_by(connection, self._number(connection), actor)

    def doubts(self) -> list[Doubt]:
        """Every pair in doubt."""
        with self.reading() as connection:
            return runs.doubts(connection, self._number(connection))

    @property
    def documents(self) -> SqliteDocuments:
        """The files it holds."""
        return SqliteDocuments(self.reading, self._number)

    @property
    def queue(self) -> SqliteQueue:
        """Which memories wait for a vector."""
        return SqliteQueue(self.reading, self._number)

    def _number(self, connection: Connection) -> int | None:
        row = connection.execute("SELECT id FROM namespace WHERE name = ?", (self.namespace,)).fetchone()
        return int(row[0]) if row else None


def _around(snapshot: Snapshot, slot: int, before: int, after: int) -> list[int]:
    if slot < 0:
        return []
    earlier: list[int] = []
    here = slot
    while len(earlier) < before and (here := int(snapshot.chain.previous[here])) >= 0:
        earlier.append(here)
    later: list[int] = []
    here = slot
    while len(later) < after and (here := int(snapshot.chain.next[here])) >= 0:
        later.append(here)
    return [*reversed(earlier), *later]
