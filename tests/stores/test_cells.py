"""Cells: a batch of vectors is compared with few rows of a large matrix, and finds what is near."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from combray.runtime import Ranked
from combray.stores import cells, mapped
from combray.stores.matrix import Matrix, encode

ROWS = 24_000
DIMENSIONS = 48
SEARCHED = 512
MINIMUM = 0.7


def _unit(rows: NDArray[np.float64]) -> NDArray[np.float32]:
    found: NDArray[np.float32] = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return found


@pytest.fixture(scope="module")
def rows() -> NDArray[np.float32]:
    """Rows around 400 subjects, as texts are."""
    generator = np.random.default_rng(5)
    subjects = generator.normal(size=(400, DIMENSIONS))
    near = subjects[generator.integers(0, 400, ROWS)] + 1.2 * generator.normal(size=(ROWS, DIMENSIONS))
    return _unit(near)


@pytest.fixture(scope="module")
def asked(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Vectors with a cosine of about 0.9 with one row each."""
    generator = np.random.default_rng(6)
    noise = _unit(generator.normal(size=(SEARCHED, DIMENSIONS)))
    return _unit(rows[:SEARCHED].astype(np.float64) + 0.48 * noise)


def _matrix(rows: NDArray[np.float32]) -> Matrix:
    matrix = Matrix(rows.shape[1])
    matrix.put(np.arange(len(rows)), encode(rows), len(rows))
    return matrix


def _nearest(matrix: Matrix, asked: NDArray[np.float32], eligible: NDArray[np.bool_]) -> list[Ranked]:
    return matrix.nearest(asked, np.arange(len(eligible)) + 100, eligible, 5, MINIMUM)


def _exact(rows: NDArray[np.float32], asked: NDArray[np.float32], eligible: NDArray[np.bool_]) -> list[Ranked]:
    """One by one: a single vector is compared with every row."""
    matrix = _matrix(rows)
    return [_nearest(matrix, each[None, :], eligible)[0] for each in asked]


def _recall(found: list[Ranked], exact: list[Ranked]) -> float:
    wanted = [(place, key) for place, each in enumerate(exact) for key in each.keys.tolist()]
    got = {(place, key) for place, each in enumerate(found) for key in each.keys.tolist()}
    assert len(wanted) > SEARCHED
    return sum(pair in got for pair in wanted) / len(wanted)


def test_a_batch_finds_what_a_scan_of_every_row_finds(
    rows: NDArray[np.float32], asked: NDArray[np.float32]
) -> None:
    matrix, every = _matrix(rows), np.ones(ROWS, dtype=np.bool_)
    found = _nearest(matrix, asked, every)
    assert matrix.cells.upto == ROWS
    exact = _exact(rows, asked, every)
    assert _recall(found, exact) >= 0.99
    scores = [dict(zip(each.keys.tolist(), each.scores.tolist(), strict=True)) for each in exact]
    for each, known in zip(found, scores, strict=True):
        assert all(
            known.get(key, score) == score for key, score in zip(each.keys.tolist(), each.scores, strict=True)
        )
        assert len(set(each.keys.tolist())) == len(each.keys)


def test_few_rows_are_compared(rows: NDArray[np.float32], asked: NDArray[np.float32]) -> None:
    matrix = _matrix(rows)
    matrix.cells.fill(matrix, ROWS)
    compared = sum(len(some) * len(places) for some, places in matrix.cells.near(asked))
    assert compared / SEARCHED < ROWS / 5


def test_rows_that_are_added_changed_and_cleared_are_found_where_they_are(
    rows: NDArray[np.float32], asked: NDArray[np.float32]
) -> None:
    matrix = Matrix(DIMENSIONS)
    half = ROWS - 2_000
    matrix.put(np.arange(half), encode(rows[:half]), half)
    _nearest(matrix, asked, np.ones(half, dtype=np.bool_))
    assert matrix.cells.upto == half
    matrix.put(np.arange(half, ROWS), encode(rows[half:]), ROWS)
    # Two rows change places, and one goes.
    changed = rows.copy()
    changed[[0, ROWS - 1]] = rows[[ROWS - 1, 0]]
    matrix.put(np.array([0, ROWS - 1]), encode(changed[[0, ROWS - 1]]), ROWS)
    matrix.clear(np.array([1]))
    every = np.ones(ROWS, dtype=np.bool_)
    found = _nearest(matrix, asked, every)
    assert found[0].keys[0] == 100 + ROWS - 1
    assert 101 not in found[1].keys
    every[1] = False
    assert _recall(found, _exact(changed, asked, every)) >= 0.99


def test_rows_that_are_not_eligible_or_newer_than_the_reader_are_not_found(
    rows: NDArray[np.float32], asked: NDArray[np.float32]
) -> None:
    matrix, every = _matrix(rows), np.ones(ROWS, dtype=np.bool_)
    _nearest(matrix, asked, every)
    every[:SEARCHED:2] = False
    older = every[: ROWS - 3_000]
    found = _nearest(matrix, asked, older)
    keys = {key - 100 for each in found for key in each.keys.tolist()}
    assert max(keys) < ROWS - 3_000
    assert not keys & set(range(0, SEARCHED, 2))
    assert set(range(1, SEARCHED, 2)) - keys == set()


def test_equal_rows_are_split_and_found(asked: NDArray[np.float32]) -> None:
    same = np.repeat(asked[:1], cells.LEAST_ROWS, axis=0)
    (found, *_) = _nearest(_matrix(same), asked, np.ones(cells.LEAST_ROWS, dtype=np.bool_))
    assert found.scores.tolist() == [1.0] * 5


def test_cells_come_back_from_a_mapped_file(
    tmp_path: Path, rows: NDArray[np.float32], asked: NDArray[np.float32]
) -> None:
    matrix, every = _matrix(rows), np.ones(ROWS, dtype=np.bool_)
    found = _nearest(matrix, asked, every)
    mapped.write(tmp_path / "file", {}, matrix.packed(ROWS))
    read = mapped.read(tmp_path / "file")
    assert read is not None
    again = Matrix.restored(DIMENSIONS, 1, read.arrays)
    assert again.cells.upto == ROWS
    for one, other in zip(found, _nearest(again, asked, every), strict=True):
        assert one.keys.tolist() == other.keys.tolist()
        assert one.scores.tolist() == other.scores.tolist()
