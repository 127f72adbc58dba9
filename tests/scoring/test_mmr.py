"""Maximal marginal relevance, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from combray.scoring.ranking import marginal_order

ALIKE = np.array([[1.0, 0.9, 0.1], [0.9, 1.0, 0.0], [0.1, 0.0, 1.0]])


@pytest.mark.parametrize(
    ("trade_off", "order"),
    [
        # After 0: place 1 has .7 * .9 - .3 * .9 = .36, place 2 .7 * .6 - .3 * .1 = .39.
        (0.7, [0, 2, 1]),
        # Place 1: .8 * .9 - .2 * .9 = .54, place 2: .8 * .6 - .2 * .1 = .46.
        (0.8, [0, 1, 2]),
        # Relevance alone, and likeness alone.
        (1.0, [0, 1, 2]),
        (0.0, [0, 2, 1]),
    ],
)
def test_the_order_by_hand(trade_off: float, order: list[int]) -> None:
    relevance = np.array([1.0, 0.9, 0.6])
    assert marginal_order(relevance, lambda place: ALIKE[place], trade_off).tolist() == order


def test_equals_keep_their_order_and_every_place_is_chosen_once() -> None:
    same = np.full(5, 0.5)
    assert marginal_order(same, lambda _: np.zeros(5), 0.7).tolist() == [0, 1, 2, 3, 4]
    assert marginal_order(np.zeros(0), lambda _: np.zeros(0), 0.7).tolist() == []


def test_what_was_chosen_first_keeps_counting() -> None:
    """The greatest likeness to any of the chosen, not to the last one."""
    alike = np.array([[1, 0, 1, 0], [0, 1, 0, 0], [1, 0, 1, 0], [0, 0, 0, 1]], dtype=np.float64)
    # Place 2 repeats place 0: .7 * .8 - .3 = .26 is less than place 3's .7 * .5 = .35, two choices later too.
    relevance = np.array([1.0, 0.9, 0.8, 0.5])
    assert marginal_order(relevance, lambda place: alike[place], 0.7).tolist() == [0, 1, 3, 2]
