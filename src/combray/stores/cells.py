"""Cells of near vectors: which rows a batch of vectors is compared with, so that a batch does not read every row.

Each row is in the two cells whose centres are nearest to it, and a vector is compared with the rows of the cells
nearest to it. A cell that has become too large is split in two. The largest size grows like the square root of
the number of rows, and so do the number of cells and the time of a search. Cells only choose rows: the cosines
are computed from the rows themselves, so an outdated place costs recall, never a wrong score.

Source: inverted lists with closure assignment and local splits, as in SPANN (Chen et al. 2021) and SPFresh
(Xu et al. 2023).
"""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Slots = NDArray[np.int32]

LEAST_ROWS = 20_000
"""Below it every row is compared: that is as fast, and exact."""
LEAST_COSINE = 0.6
"""Below it the nearest rows may be in many cells: every row is compared."""
PROBED = 32
"""Cells that a vector is compared with. Measured in docs/decisions/0026-cells-for-batches.md."""
_COPIES = 2
"""Cells that a row is in."""
_LARGEST = 6
"""Rows that a cell may have, as a multiple of the square root of all: small cells separate near rows."""
_BLOCK = 2048
"""Rows that are placed at once."""
_ROUNDS = 3
"""Rounds of k-means."""
_SAMPLED = 12
"""Rows a cell from which the first centres are computed."""


class Coded(Protocol):
    """The rows that cells refer to."""

    rows: NDArray[np.int8]
    norms: NDArray[np.float64]
    has: NDArray[np.bool_]


class Cells:
    """The cells of one matrix. Callers may share it between threads."""

    def __init__(self, dimensions: int) -> None:
        self.lock = threading.Lock()
        self.upto = 0
        """Slots below it have been placed."""
        self.centres: NDArray[np.float32] = np.zeros((1, dimensions), dtype=np.float32)
        self.lists: list[Slots] = [np.zeros(0, dtype=np.int32)]
        self._changed: list[NDArray[np.int64]] = []

    @property
    def _centres(self) -> NDArray[np.float32]:
        return self.centres[: len(self.lists)]

    def is_due(self, rows: int, searched: int) -> bool:
        """Return whether so many searches have cost as much as placing all rows would."""
        return self.upto > 0 or (rows >= LEAST_ROWS and searched >= 3 * math.isqrt(rows))

    def packed(self) -> dict[str, tuple[NDArray[Any], int]]:
        """Return the arrays that `restored` takes, each with its room; none before the first row is placed."""
        if not self.upto:
            return {}
        with self.lock:
            ends = np.cumsum([self.upto, *(len(each) for each in self.lists)]) - self.upto
            places = np.concatenate(self.lists)
            upto = np.array([self.upto], dtype=np.int64)
            arrays = {"centres": self.centres, "ends": ends, "places": places, "upto": upto}
            return {f"cell/{name}": (array, len(array)) for name, array in arrays.items()}

    @classmethod
    def restored(cls, dimensions: int, arrays: Mapping[str, NDArray[Any]]) -> Cells:
        """Return the cells of arrays that `packed` returned; empty ones if there are none."""
        made = cls(dimensions)
        if "cell/upto" in arrays:
            made.upto = int(arrays["cell/upto"][0])
            made.centres = arrays["cell/centres"]
            made.lists = np.split(arrays["cell/places"], arrays["cell/ends"][1:-1])
        return made

    def moved(self, slots: NDArray[np.int64]) -> None:
        """Note that rows were set. Those that had been placed are placed again."""
        known = slots[slots < self.upto]
        if len(known):
            self._changed.append(known)

    def fill(self, coded: Coded, count: int) -> None:
        """Place the rows that were added or changed. The caller holds the lock."""
        changed, self._changed = self._changed, []
        new = np.concatenate([*changed, np.arange(self.upto, count)]).astype(np.int32)
        new = new[coded.has[new]]
        if not self.upto and len(new) >= LEAST_ROWS // 2:
            self._train(new, coded, 3 * math.isqrt(count))
        for start in range(0, len(new), _BLOCK):
            self._place(new[start : start + _BLOCK], coded, count)
        self.upto = max(self.upto, count)

    def _train(self, slots: Slots, coded: Coded, cells: int) -> None:
        """Set the first centres: spherical k-means over evenly spaced rows, which has no chance in it."""
        rows = units(coded, slots[np.linspace(0, len(slots) - 1, min(len(slots), _SAMPLED * cells)).astype(int)])
        self.centres = rows[np.linspace(0, len(rows) - 1, cells).astype(int)]
        for _ in range(_ROUNDS):
            nearest = np.concatenate(
                [np.argmax(rows[at : at + _BLOCK] @ self.centres.T, axis=1) for at in range(0, len(rows), _BLOCK)]
            )
            order = np.argsort(nearest, kind="stable")
            starts = np.unique(nearest[order], return_index=True)[1]
            # A cell without rows is dropped.
            self.centres = np.stack([_centre(rows[members]) for members in np.split(order, starts[1:])])
        self.lists = [np.zeros(0, dtype=np.int32)] * len(self.centres)

    def _place(self, slots: Slots, coded: Coded, count: int) -> None:
        cells = best(units(coded, slots) @ self._centres.T, _COPIES).reshape(-1)
        rows = np.repeat(slots, _COPIES if len(self.lists) > 1 else 1)
        order = np.argsort(cells, kind="stable")
        cells, rows = cells[order], rows[order]
        starts = np.flatnonzero(np.concatenate(([True], cells[1:] != cells[:-1])))
        most = _LARGEST * math.isqrt(count)
        for cell, new in zip(cells[starts].tolist(), np.split(rows, starts[1:]), strict=True):
            self.lists[cell] = np.concatenate((self.lists[cell], new))
            large = [cell] if len(self.lists[cell]) > most else []
            while large:
                one = large.pop()
                # A row that was placed again may be in it twice, or be gone.
                slots = np.unique(self.lists[one])
                self.lists[one] = slots[coded.has[slots]]
                if len(self.lists[one]) > most:
                    large += [one, self._split(one, coded)]

    def _split(self, cell: int, coded: Coded) -> int:
        """Move about half of a cell into a new one. Return the new cell."""
        slots = self.lists[cell]
        rows = units(coded, slots)
        side = _two_means(rows)
        self.lists[cell] = slots[side]
        self.lists.append(slots[~side])
        centres = self.centres if len(self.centres) >= len(self.lists) else _grown(self.centres)
        centres[cell], centres[len(self.lists) - 1] = _centre(rows[side]), _centre(rows[~side])
        self.centres = centres
        return len(self.lists) - 1

    def near(self, vectors: NDArray[np.float32]) -> Iterator[tuple[Slots, NDArray[np.int64]]]:
        """Yield the rows of each cell that is near some of the unit vectors, with the places of these vectors."""
        cells = best(vectors @ self._centres.T, PROBED)
        places = np.repeat(np.arange(len(vectors)), cells.shape[1])
        flat = cells.reshape(-1)
        order = np.argsort(flat, kind="stable")
        flat, places = flat[order], places[order]
        starts = np.flatnonzero(np.concatenate(([True], flat[1:] != flat[:-1])))
        for cell, some in zip(flat[starts].tolist(), np.split(places, starts[1:]), strict=True):
            if len(self.lists[cell]):
                yield self.lists[cell], some


def units(coded: Coded, slots: Sequence[int] | NDArray[Any]) -> NDArray[np.float32]:
    """Return rows with a length of 1."""
    return coded.rows[slots].astype(np.float32) / coded.norms[slots].astype(np.float32)[:, None]


def best(products: NDArray[np.float32], count: int) -> NDArray[np.int64]:
    """Return the columns with the `count` largest values of each row, the largest first. Changes `products`."""
    rows = np.arange(len(products))
    found = []
    for _ in range(min(count, products.shape[1])):
        found.append(np.argmax(products, axis=1))
        products[rows, found[-1]] = -np.inf
    return np.stack(found, axis=1)


def _two_means(rows: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Return which rows belong to the first of two groups, neither of them empty."""
    first = rows[np.argmin(rows @ _centre(rows))]
    one, other = first, rows[np.argmin(rows @ first)]
    side: NDArray[np.bool_] = rows @ (one - other) > 0
    for _ in range(_ROUNDS):
        if side.all() or not side.any():
            break
        one, other = _centre(rows[side]), _centre(rows[~side])
        side = rows @ (one - other) > 0
    if side.all() or not side.any():
        # All rows are equal.
        side = np.arange(len(rows)) % 2 == 0
    return side


def _centre(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    mean: NDArray[np.float32] = rows.mean(axis=0)
    return mean / np.float32(max(float(np.linalg.norm(mean)), 1e-9))


def _grown(centres: NDArray[np.float32]) -> NDArray[np.float32]:
    room = np.zeros((len(centres) + max(16, len(centres) // 2), centres.shape[1]), dtype=np.float32)
    room[: len(centres)] = centres
    return room
