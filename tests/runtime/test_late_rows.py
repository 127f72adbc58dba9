"""Columns of candidates that are read when they are first used."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from combray.runtime import LateRows

KEYS = np.array([3, 5, 8, 9])


def rows(read: list[str]) -> LateRows:
    """Rows whose every column is its name's length times 10, plus the place."""

    def column(name: str) -> np.ndarray:
        read.append(name)
        return 10 * len(name) + np.arange(4)

    return LateRows.read_by(column, KEYS, ("Ana",))


def test_a_column_is_read_once_and_only_if_it_is_used() -> None:
    read: list[str] = []
    made = rows(read)
    assert made.keys.tolist() == [3, 5, 8, 9]
    assert read == []
    assert made.tier.tolist() == made.tier.tolist() == [40, 41, 42, 43]
    assert read == ["tier"]


def test_chosen_places_follow_one_another() -> None:
    read: list[str] = []
    made = rows(read)
    sorted_ = LateRows.of(made, np.array([2, 0, 3, 1]), KEYS[[2, 0, 3, 1]])
    cut = LateRows.of(sorted_, np.array([True, False, True, True]), KEYS[[2, 3, 1]])
    assert cut.tier.tolist() == [42, 43, 41]
    assert sorted_.tier.tolist() == [42, 40, 43, 41]
    assert read == ["tier"]
    assert cut.author_names == ("Ana",)


def test_rows_can_be_replaced() -> None:
    changed = replace(rows([]), tier=np.array([1, 2, 3, 4]))
    assert changed.tier.tolist() == [1, 2, 3, 4]
    assert changed.words.tolist() == [50, 51, 52, 53]
    assert LateRows.of(changed, np.array([3, 0]), KEYS[[3, 0]]).tier.tolist() == [4, 1]
