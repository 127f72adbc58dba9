"""Vectors of a namespace as one matrix of int8 codes, compared exactly.

An int8 code keeps a vector's direction to a cosine of 0.9999. One vector is compared with every row. A batch that
asks only for near rows of a large store is compared with the rows that cells choose (`stores/cells.py`). Query
vectors are coded too. Sums of products of whole numbers are exact in any order and on any machine: the same rows
and query always give the same cosine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from combray.errors import CorruptStoreError, InvalidInputError
from combray.runtime import Ranked, Scores, Vectors
from combray.scoring.ranking import DECIMALS
from combray.stores import cells
from combray.stores.cells import Cells
from combray.stores.scored import Products

try:
    import simsimd
except ImportError:  # no wheel for this platform: NumPy compares, several times slower
    simsimd = None  # type: ignore[assignment]

Codes = NDArray[np.int8]
"""Coded rows: whole numbers from -127 to 127."""

_BLOCK = 1024
"""Rows compared at once with a batch of vectors: bounds the memory that it needs."""
_FEW = 8
"""Up to so many vectors are compared without converting the rows."""
_SLACK = 1e-5
"""Margin below the minimum in the single-precision preselection."""


def encode(vectors: Vectors) -> list[bytes]:
    """Return int8 codes of the rows: the largest component becomes 127."""
    return [row.tobytes() for row in quantised(vectors)]


def quantised(vectors: Vectors) -> NDArray[np.int8]:
    """Return int8 codes as an array. Raises InvalidInputError for NaN and infinite components."""
    peak = np.abs(vectors).max(axis=1, keepdims=True, initial=0.0)
    # The highest of some numbers is NaN or infinite if one of them is.
    if not np.isfinite(peak).all():
        raise InvalidInputError("vector", "holds NaN or infinite components.", "Check the embedder's output.")
    return np.rint(vectors / np.where(peak > 0, peak, 1.0) * 127.0).astype(np.int8)


def whole(codes: Sequence[bytes], dimensions: int, rows: int | None = None) -> Codes:
    """Return the codes as one array. Raises CorruptStoreError for a code of another length.

    `rows`: their number; None for one in each code.
    """
    joined = np.frombuffer(b"".join(codes), dtype=np.int8)
    rows = len(codes) if rows is None else rows
    if len(joined) != rows * dimensions:
        raise CorruptStoreError(f"a stored vector does not have {dimensions} bytes. Restore a backup.")
    return joined.reshape(rows, dimensions)


def norms(rows: Codes) -> Scores:
    """Return the lengths of coded rows; 0 for a zero row."""
    result: Scores = np.sqrt(
        np.einsum("ij,ij->i", rows, rows, dtype=np.int32, casting="unsafe").astype(np.float64)
    )
    return result


def decode(codes: Sequence[bytes], dimensions: int) -> Vectors:
    """Return unit float32 rows of the codes; a zero code stays zero."""
    rows = whole(codes, dimensions)
    lengths = norms(rows)
    result: Vectors = rows.astype(np.float32) / np.where(lengths > 0, lengths, 1.0).astype(np.float32)[:, None]
    return result


def cosines(codes: Codes, lengths: Scores, vector: NDArray[np.float32]) -> Scores:
    """Return the cosine of coded rows with one vector; 0 for a zero row or vector."""
    coded = quantised(vector[None, :])
    scale = norms(coded)[0]
    result = dots(codes, coded[0])
    if not scale:
        return result
    # A row of zeros has a dot product of 0 with anything: any length will do.
    result /= np.where(lengths > 0, lengths, 1.0) * scale
    return result


def dots(codes: Codes, coded: NDArray[np.int8]) -> Scores:
    """Return the dot products of coded rows with one coded vector, as exact whole numbers."""
    if not len(codes):
        return np.zeros(0)
    if simsimd is not None:
        compared: NDArray[np.float64] = np.asarray(simsimd.cdist(coded[None, :], codes, metric="dot"))
        return compared.reshape(-1)
    result = np.zeros(len(codes))
    wide = coded.astype(np.float32)
    for start in range(0, len(codes), _BLOCK):
        block = codes[start : start + _BLOCK]
        result[start : start + len(block)] = block.astype(np.float32) @ wide
    return result


def check_dimensions(model: str, known: int, given: int) -> None:
    """Raise InvalidInputError for a vector whose length differs from the model's."""
    if known != given:
        raise InvalidInputError(
            "vector",
            f"has {given} dimensions, but the stored vectors of {model!r} have {known}.",
            "Give the new model another name and re-embed.",
        )


class Matrix:
    """Coded rows by slot; grows with the columns."""

    ARRAYS = ("rows", "norms", "has", "there")

    def __init__(self, dimensions: int) -> None:
        self.dimensions = dimensions
        self.revision = -1
        self.rows: Codes = np.zeros((0, dimensions), dtype=np.int8)
        self.norms: Scores = np.zeros(0)
        self.has: NDArray[np.bool_] = np.zeros(0, dtype=np.bool_)
        """Rows with a direction; `there` also marks zero rows, those of texts without content."""
        self.there: NDArray[np.bool_] = np.zeros(0, dtype=np.bool_)
        self.cells = Cells(dimensions)
        self._searched = 0
        """Vectors of batches that were compared with all rows."""

    def packed(self, count: int) -> dict[str, tuple[NDArray[Any], int]]:
        """Return the arrays that `restored` takes, each with its room."""
        room = count + count // 8 + 4096
        own = {name: (getattr(self, name)[:count], room) for name in self.ARRAYS}
        return own | self.cells.packed()

    @classmethod
    def restored(cls, dimensions: int, revision: int, arrays: Mapping[str, NDArray[Any]]) -> Matrix:
        """Return a matrix of arrays that `packed` returned. It changes them in place."""
        matrix = cls(dimensions)
        matrix.revision = revision
        for name in cls.ARRAYS:
            setattr(matrix, name, arrays[name])
        matrix.cells = Cells.restored(dimensions, arrays)
        return matrix

    def put(self, slots: NDArray[np.int64], codes: Sequence[bytes], count: int) -> None:
        """Set the rows of some slots and make room for `count` rows."""
        if count > len(self.rows):
            old, room = self.rows, max(count, min(2 * len(self.rows), len(self.rows) + 65536))
            self.rows = np.zeros((room, self.dimensions), dtype=np.int8)
            self.rows[: len(old)] = old
            more = room - len(old)
            self.norms = np.append(self.norms, np.zeros(more))
            self.has = np.append(self.has, np.zeros(more, dtype=np.bool_))
            self.there = np.append(self.there, np.zeros(more, dtype=np.bool_))
        rows = whole(codes, self.dimensions)
        self._keep_of_searches(slots)
        self.rows[slots] = rows
        self.norms[slots] = norms(rows)
        self.has[slots] = self.norms[slots] > 0
        self.there[slots] = True
        self.cells.moved(slots)

    def update(self, slots: NDArray[np.int64], codes: Sequence[bytes | None], count: int) -> None:
        """Set the rows of some slots; a code of None removes the row, a slot of -1 is skipped."""
        if not len(codes) and count <= len(self.rows):
            return
        inside = slots >= 0
        given = [code for code, wanted in zip(codes, inside, strict=True) if wanted]
        slots = slots[inside]
        has = np.array([code is not None for code in given], dtype=np.bool_)
        self.put(slots[has], [code for code in given if code is not None], count)
        if not has.all():
            self.clear(slots[~has])

    def clear(self, slots: NDArray[np.int64]) -> None:
        """Remove the rows of some slots."""
        self._keep_of_searches(slots)
        self.rows[slots] = 0
        self.norms[slots] = 0.0
        self.has[slots] = False
        self.there[slots] = False

    def _keep_of_searches(self, slots: NDArray[np.int64]) -> None:
        """Leave the lengths that searches hold as they are: they have the products of the rows as they were."""
        if self.there[slots].any():
            self.norms, self.has = self.norms.copy(), self.has.copy()

    def cosines(self, vector: NDArray[np.float32], count: int) -> Scores:
        """Return the cosine of every row with a vector."""
        return cosines(self.rows[:count], self.norms[:count], vector)

    def scan(
        self, vector: NDArray[np.float32], has: NDArray[np.bool_], shown: NDArray[np.bool_] | None
    ) -> Products:
        """Return the cosines of the rows with a vector.

        `has` marks the rows with a vector, `shown` those that count, None for all: one entry for each row.
        """
        coded = quantised(vector[None, :])
        length = float(norms(coded)[0])
        # Before the products: a write between the two makes other lengths.
        lengths = self.norms[: len(has)]
        return Products(dots(self.rows[: len(has)], coded[0]), lengths, length, has, shown)

    def nearest(
        self, vectors: Vectors, keys: NDArray[np.int64], eligible: NDArray[np.bool_], limit: int, minimum: float
    ) -> list[Ranked]:
        """Return for each vector the `limit` best eligible rows with a cosine of at least `minimum`.

        For a batch of many vectors and a high minimum a few rows of a large store may be missing.
        """
        count = len(keys)
        open_rows = eligible & self.has[:count]
        if len(vectors) == 1:
            return [self._nearest_to(vectors[0], keys, open_rows, limit, minimum)]
        codes = quantised(vectors)
        lengths = norms(codes)
        floors = np.where(lengths > 0, lengths * (minimum - _SLACK), np.inf).astype(np.float32)
        if len(vectors) > _FEW and minimum >= cells.LEAST_COSINE and count >= cells.LEAST_ROWS:
            self._searched += len(vectors)
            if self.cells.is_due(count, self._searched):
                near = self._in_cells(codes, lengths, floors, open_rows)
                return _by_column(_distinct(near, keys, minimum), len(vectors), limit)
        found: list[tuple[NDArray[np.int64], NDArray[np.int64], Scores]] = []
        room = np.empty(_BLOCK * len(codes), np.float32)
        wide = codes.astype(np.float32).T
        for start in range(0, count, _BLOCK):
            stop = min(start + _BLOCK, count)
            there = open_rows[start:stop]
            wanted = int(there.sum())
            if not wanted:
                continue
            # Copying rows costs more than comparing rows that are not wanted.
            places = np.arange(start, stop) if 2 * wanted > stop - start else start + np.flatnonzero(there)
            whole_block = len(places) == stop - start
            block = self.rows[start:stop] if whole_block else self.rows[places]
            products = _products(block, codes, wide, room)
            rows, columns, scores = _reaching(products, self.norms[places], floors, lengths)
            if whole_block and wanted < stop - start:
                open_hits = there[rows]
                rows, columns, scores = rows[open_hits], columns[open_hits], scores[open_hits]
            scores = np.round(scores, DECIMALS)
            enough = scores >= minimum
            found.append((columns[enough], keys[places[rows[enough]]], scores[enough]))
        return _by_column(found, len(vectors), limit)

    def _nearest_to(
        self,
        vector: NDArray[np.float32],
        keys: NDArray[np.int64],
        open_rows: NDArray[np.bool_],
        limit: int,
        minimum: float,
    ) -> Ranked:
        """Return the `limit` best open rows of one vector: a scan, as a recall does it."""
        found = self.scan(vector, self.has[: len(keys)], None)
        if not found.length or limit <= 0:
            return Ranked(np.zeros(0, np.int64), np.zeros(0))
        slots = found.leading(open_rows, limit)
        scores = np.round(found.of(slots), DECIMALS)
        least = minimum if len(scores) <= limit else max(minimum, np.partition(scores, -limit)[-limit])
        slots, scores = slots[scores >= least], scores[scores >= least]
        order = np.lexsort((keys[slots], -scores))[:limit]
        return Ranked(keys[slots[order]], scores[order])

    def _in_cells(
        self, codes: Codes, lengths: Scores, floors: NDArray[np.float32], open_rows: NDArray[np.bool_]
    ) -> list[tuple[NDArray[Any], NDArray[Any], Scores]]:
        """Return (column, row, cosine) of the rows that are near enough, a row in two cells twice."""
        found = []
        with self.cells.lock:
            self.cells.fill(self, len(open_rows))
            units = codes.astype(np.float32) / np.maximum(lengths, 1.0).astype(np.float32)[:, None]
            # Memory that is used again: for new memory the system clears pages, which takes most of the time.
            block = np.empty((max(map(len, self.cells.lists)), self.dimensions), np.int8)
            room = np.empty(len(block) * len(codes), np.float32)
            wide = codes.astype(np.float32)
            for rows, columns in self.cells.near(units):
                near = block[: len(rows)]
                np.take(self.rows, rows, axis=0, out=near, mode="clip")
                products = _products(near, codes[columns], wide[columns].T, room)
                places, at, scores = _reaching(products, self.norms[rows], floors[columns], lengths[columns])
                if len(places):
                    found.append((columns[at], rows[places], scores))
        return [_open(each, open_rows) for each in found]


def _open(
    found: tuple[NDArray[Any], NDArray[Any], Scores], open_rows: NDArray[np.bool_]
) -> tuple[NDArray[Any], NDArray[Any], Scores]:
    """Return what is found without the rows that are not eligible, or newer than the reader's state."""
    columns, rows, scores = found
    kept = rows < len(open_rows)
    kept[kept] = open_rows[rows[kept]]
    return columns[kept], rows[kept], scores[kept]


def _distinct(
    near: list[tuple[NDArray[Any], NDArray[Any], Scores]], keys: NDArray[np.int64], minimum: float
) -> list[tuple[NDArray[np.int64], NDArray[np.int64], Scores]]:
    """Return (column, key, rounded cosine) of each pair once."""
    if not near:
        return []
    columns, rows, scores = (np.concatenate(part) for part in zip(*near, strict=True))
    _, first = np.unique(columns * np.int64(len(keys)) + rows, return_index=True)
    columns, rows, scores = columns[first].astype(np.int64), rows[first], np.round(scores[first], DECIMALS)
    enough = scores >= minimum
    return [(columns[enough], keys[rows[enough]], scores[enough])]


def _products(
    rows: Codes, codes: Codes, wide: NDArray[np.float32], room: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return the dot products of every row with every code, exactly: they are whole numbers below 2^24.

    `wide` are the codes as columns of single precision. `room` is memory that is used again: for new memory the
    system clears pages, which takes most of the time.
    """
    if simsimd is not None and len(codes) <= 2 * _FEW:
        few: NDArray[np.float32] = np.asarray(simsimd.cdist(rows, codes, metric="dot")).astype(np.float32)
        return few.reshape(len(rows), len(codes))
    # For many codes the conversion is shared, and a product of matrices is faster.
    many = room[: len(rows) * len(codes)].reshape(len(rows), len(codes))
    return np.matmul(rows.astype(np.float32), wide, out=many)


def _reaching(
    products: NDArray[np.float32], scale: Scores, floors: NDArray[np.float32], lengths: Scores
) -> tuple[NDArray[np.int64], NDArray[np.int64], Scores]:
    """Return (row, column, cosine) of the pairs whose product reaches the column's floor times the row's length.

    A row without a length reaches none.
    """
    # One bound for a row: few pairs reach it, and only those are compared with their own.
    least = np.where(scale > 0, scale, np.inf).astype(np.float32)
    rows, columns = np.divmod(np.flatnonzero(products >= (least * floors.min())[:, None]), len(floors))
    inner = products[rows, columns]
    enough = inner >= least[rows] * floors[columns]
    rows, columns, inner = rows[enough], columns[enough], inner[enough]
    return rows, columns, inner / (scale[rows] * lengths[columns])


def _by_column(
    found: list[tuple[NDArray[np.int64], NDArray[np.int64], Scores]], count: int, limit: int
) -> list[Ranked]:
    """Return (column, key, score) triples as one list per column, best first, ties by key."""
    if not found:
        return [Ranked(np.zeros(0, np.int64), np.zeros(0)) for _ in range(count)]
    columns, keys, scores = (np.concatenate(part) for part in zip(*found, strict=True))
    order = np.lexsort((keys, -scores, columns))
    columns, keys, scores = columns[order], keys[order], scores[order]
    starts = np.searchsorted(columns, np.arange(count + 1))
    stops = np.minimum(starts[1:], starts[:-1] + max(limit, 0))
    return [Ranked(keys[a:b], scores[a:b]) for a, b in zip(starts[:-1], stops, strict=True)]
