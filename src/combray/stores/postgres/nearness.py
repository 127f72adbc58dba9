"""Vectors that stay on the server: the nearest are found by pgvector's HNSW index, and only a few are read.

For namespaces with more than RESIDENT memories, in a store that is opened with `vectors=hnsw`. A process then
keeps no codes, but which memories have one. Candidates come from the index; every cosine that is returned is of
the exact int8 codes, so that a memory has the same score as in a store without the index.

A filter that lets few rows through would starve the index. Such rows are compared exactly, on the server.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from combray.records import dataclass, field
from combray.runtime import Keys, Ranked, Scores, Vectors
from combray.scoring.ranking import DECIMALS
from combray.scoring.turns import Slots
from combray.stores.matrix import cosines, norms, quantised, whole
from combray.stores.postgres.session import PostgresSession
from combray.stores.postgres.sql import sql
from combray.stores.snapshot import Snapshot

RESIDENT = 8192
"""Up to so many memories of a namespace the codes are kept in memory, as without the index: 2 MB of 256 bytes."""
FEW = 10_000
"""Up to so many rows that pass a filter are compared exactly."""
MOST = 20_000
"""Candidates that the index is asked for at the most; a filter that needs more is compared exactly."""
SLACK = 1.2
"""Candidates as a multiple of those that a filter is expected to need."""
_SAMPLE = 1024
"""Vectors whose mean stands for the mean of all. The mean cosine is off by about 0.004 (0.12 / sqrt(1024))."""
_STEP = 2**0.25
_EF_LEAST, _EF_MOST = 100, 1000
"""Limits of hnsw.ef_search; the upper one is pgvector's."""
_EF_OF_ROOT = 3.0
"""Rows that a search looks at, as a multiple of the root of the number of memories. Of the ten nearest of 100,000
the shares 0.85, 0.90, 0.95 and 0.98 are found with 100, 200, 400 and 1000 (bench/results/postgres.md)."""


class Presence:
    """Which rows have a vector, by slot; grows with the columns. Takes the place of a `Matrix`."""

    def __init__(self, dimensions: int) -> None:
        self.dimensions = dimensions
        self.revision = -1
        self.has: NDArray[np.bool_] = np.zeros(0, dtype=np.bool_)
        self.there: NDArray[np.bool_] = np.zeros(0, dtype=np.bool_)
        self.mean: tuple[tuple[int, int, int], NDArray[np.float64]] | None = None
        """The state that was sampled, and the mean of the unit vectors."""

    def update(self, slots: NDArray[np.int64], states: Sequence[int | None], count: int) -> None:
        """Set rows: 1 for a vector, 0 for a zero vector, None where the vector is missing. Skip slots of -1."""
        if count > len(self.has):
            more = max(count, min(2 * len(self.has), len(self.has) + 65536)) - len(self.has)
            self.has = np.append(self.has, np.zeros(more, dtype=np.bool_))
            self.there = np.append(self.there, np.zeros(more, dtype=np.bool_))
        inside = slots >= 0
        given = [state for state, wanted in zip(states, inside, strict=True) if wanted]
        self.has[slots[inside]] = [state == 1 for state in given]
        self.there[slots[inside]] = [state is not None for state in given]


@dataclass
class Near:
    """Implements `stores.scored.Measured` for vectors on the server."""

    session: PostgresSession
    model: int
    dimensions: int
    vector: NDArray[np.float32]
    snapshot: Snapshot
    presence: Presence
    is_remote: bool = True
    _own: Scores = field(init=False)
    _known: NDArray[np.bool_] = field(init=False)
    _asked: str = field(init=False)

    def __post_init__(self) -> None:
        self._own = np.zeros(self.snapshot.count)
        self._known = ~self.has
        self._asked = "[" + ",".join(map(str, quantised(self.vector[None, :])[0].tolist())) + "]"

    @property
    def has(self) -> NDArray[np.bool_]:
        own = self.presence.has[: self.snapshot.count]
        return own & self.snapshot.shown if self.snapshot.hides else own

    @property
    def average(self) -> float:
        """The mean cosine of a sample.

        The sample is spread evenly over the first n rows, n being a power of the fourth root of 2: every process
        takes the same, and takes another one after a growth of a fifth.
        """
        rows = self.snapshot.count
        state = self.snapshot.epoch, rows, self.snapshot.revision
        if rows > _SAMPLE:
            rows = int(_STEP ** int(np.log(rows) / np.log(_STEP) + 1e-9))
            state = self.snapshot.epoch, rows, 0
        kept = self.presence.mean
        if kept is None or kept[0] != state:
            slots = np.unique(np.linspace(0, rows - 1, min(rows, _SAMPLE)).astype(np.int64))
            codes = self._codes(slots[self.has[slots]])[1]
            lengths = norms(codes)
            units = codes[lengths > 0] / lengths[lengths > 0, None]
            mean = units.mean(axis=0) if len(units) else np.zeros(self.dimensions)
            self.presence.mean = kept = state, mean
        coded = quantised(self.vector[None, :])[0].astype(np.float64)
        length = float(np.sqrt(coded @ coded))
        return float(kept[1] @ coded) / length if length else 0.0

    def of(self, slots: Slots) -> Scores:
        new = np.unique(slots[~self._known[slots]])
        if len(new):
            found, codes = self._codes(new)
            self._own[found] = cosines(codes, norms(codes), self.vector)
            self._known[new] = True
        return self._own[slots]

    def leading(self, eligible: NDArray[np.bool_], limit: int) -> Slots:
        open_rows = eligible & self.has
        if limit < 1 or not open_rows.any():
            return np.zeros(0, dtype=np.int64)
        found = self._committed(self._found(open_rows, limit))
        return found[open_rows[found]]

    def _found(self, open_rows: NDArray[np.bool_], limit: int) -> Slots:
        rows, is_filtered = int(open_rows.sum()), not np.array_equal(open_rows, self.has)
        # The index also holds rows that this reader does not show.
        held = int(self.presence.has[: self.snapshot.count].sum())
        wanted = limit if rows == held else int(limit * held / rows * SLACK) + 50
        # Without a filter there is no list of keys to send: the index is the cheaper way at any size.
        if (rows > FEW or not is_filtered) and wanted <= MOST:
            found = self._indexed(wanted)
            inside = found[open_rows[found]]
            # Fewer than there are: the index was starved, or the filter goes with the question.
            if len(inside) >= min(limit, rows):
                return inside
        return self._exact(open_rows, limit)

    def _committed(self, found: Slots) -> Slots:
        """Add the rows whose vectors the transaction has changed: here they are as they were."""
        before = self.session.before.get(self.model)
        if not before:
            return found
        slots = self.snapshot.slots(np.array(sorted(before), dtype=np.int64))
        self._known[slots] = False
        return np.union1d(found, slots[slots >= 0])

    def _indexed(self, limit: int) -> Slots:
        effort = max(_EF_LEAST, limit, int(_EF_OF_ROOT * self.snapshot.count**0.5))
        options = {
            "hnsw.ef_search": min(_EF_MOST, effort),
            "hnsw.iterative_scan": "relaxed_order",
            "hnsw.max_scan_tuples": 2**31 - 1,
            "hnsw.scan_mem_multiplier": 8,
            # The plan is decided here: sorting all rows is what `_exact` does.
            "enable_sort": "off",
        }
        # What ef_search cannot give, the scan gives that goes on behind its first rows.
        depth = effort if effort > _EF_MOST else limit
        statement = sql.near.indexed.format(model=self.model, dimensions=self.dimensions)
        return self._read(self.session.of_rows_with(options, statement, self._asked, limit, depth))

    def _exact(self, open_rows: NDArray[np.bool_], limit: int) -> Slots:
        statement = sql.near.exact.format(model=self.model, dimensions=self.dimensions)
        keys = self.snapshot.keys[open_rows].tolist()
        return self._read(self.session.of_rows(statement, keys, self._asked, limit))

    def _read(self, rows: Sequence[tuple[int, bytes]]) -> Slots:
        slots = self.snapshot.slots(np.array([row[0] for row in rows], dtype=np.int64))
        # Rows that this transaction has written itself are not in the snapshot.
        kept = [row for row, slot in zip(rows, slots, strict=True) if slot >= 0]
        slots = slots[slots >= 0]
        codes = whole([row[1] for row in kept], self.dimensions)
        self._own[slots] = np.where(self.has[slots], cosines(codes, norms(codes), self.vector), 0.0)
        self._known[slots] = True
        return slots

    def _codes(self, slots: Slots) -> tuple[Slots, NDArray[np.int8]]:
        keys: Keys = self.snapshot.keys[slots]
        found: dict[int, bytes] = (
            dict(self.session.of_rows(sql.vectors.codes, self.model, keys.tolist())) if len(keys) else {}
        )
        before = self.session.before.get(self.model, {})
        found.update((key, before[key]) for key in keys.tolist() if key in before)
        there = np.array([int(key) in found for key in keys], dtype=np.bool_)
        return slots[there], whole([found[int(key)] for key in keys[there]], self.dimensions)


@dataclass(frozen=True, slots=True)
class Remote:
    """The vectors of a model on the server, in one transaction. Takes the place of a `Matrix`."""

    session: PostgresSession
    model: int
    snapshot: Snapshot
    presence: Presence

    @property
    def dimensions(self) -> int:
        return self.presence.dimensions

    @property
    def there(self) -> NDArray[np.bool_]:
        return self.presence.there

    def measured(self, vector: NDArray[np.float32]) -> Near:
        """Return the cosines with a vector."""
        return Near(self.session, self.model, self.dimensions, vector, self.snapshot, self.presence)

    def nearest(
        self, vectors: Vectors, keys: Keys, eligible: NDArray[np.bool_], limit: int, minimum: float
    ) -> list[Ranked]:
        """Return for each vector the `limit` best eligible rows with a cosine of at least `minimum`."""
        lists = []
        for vector in vectors:
            near = self.measured(vector)
            slots = near.leading(eligible, limit) if np.any(vector) else np.zeros(0, dtype=np.int64)
            scores = np.round(near.of(slots), DECIMALS)
            slots, scores = slots[scores >= minimum], scores[scores >= minimum]
            order = np.lexsort((keys[slots], -scores))[:limit]
            lists.append(Ranked(keys[slots][order], scores[order]))
        return lists
