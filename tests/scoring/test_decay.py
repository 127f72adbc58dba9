from __future__ import annotations

import math

import numpy as np
import pytest

from combray.scoring.ageing import SHAPES, half_life, weibull


def test_half_is_left_after_the_half_life_and_the_future_is_no_older_than_now() -> None:
    assert half_life(np.array([-5.0, 0.0, 30.0, 60.0]), 30.0).tolist() == [1.0, 1.0, 0.5, 0.25]


def test_the_shapes_are_the_pages() -> None:
    """Stage 5: "Core | 0.8", "Working | 1.0", "Peripheral | 1.3"."""
    assert SHAPES == {"core": 0.8, "working": 1.0, "peripheral": 1.3}


@pytest.mark.parametrize(
    ("shape", "after_7", "after_90"),
    [
        # (7/30)^0.8 = 0.3121, e^-0.3121 = 0.7319; (90/30)^0.8 = 2.4082, e^-2.4082 = 0.0900
        (0.8, 0.7319, 0.0900),
        # 7/30 = 0.2333, e^-0.2333 = 0.7919; e^-3 = 0.0498
        (1.0, 0.7919, 0.0498),
        # (7/30)^1.3 = 0.1508, e^-0.1508 = 0.8600; 3^1.3 = 4.1712, e^-4.1712 = 0.0154
        (1.3, 0.8600, 0.0154),
    ],
)
def test_weibull_by_hand(shape: float, after_7: float, after_90: float) -> None:
    """Stage 5: "exp(-(t/lambda)^beta)", lambda 30 days."""
    days = np.array([-3.0, 0.0, 7.0, 30.0, 90.0])
    left = weibull(days, np.array(30.0), np.array(shape))
    assert left.round(4).tolist() == [1.0, 1.0, after_7, round(1 / math.e, 4), after_90]


def test_before_the_scale_a_high_shape_keeps_most_and_after_it_a_low_one() -> None:
    """The page words it the other way round; its formula is kept (SEEDS.md 11)."""
    shapes = np.array([SHAPES["core"], SHAPES["working"], SHAPES["peripheral"]])
    before, after = (weibull(np.array(days), np.array(30.0), shapes) for days in (10.0, 60.0))
    assert np.argsort(before).tolist() == [0, 1, 2]
    assert np.argsort(after).tolist() == [2, 1, 0]


def test_each_age_has_a_scale_and_a_shape_of_its_own() -> None:
    left = weibull(np.array([60.0, 60.0]), np.array([30.0, 120.0]), np.array([2.0, 1.0]))
    assert left.tolist() == pytest.approx([math.exp(-4.0), math.exp(-0.5)])
