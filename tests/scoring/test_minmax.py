import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from combray.scoring.ranking import minmax


def test_by_hand() -> None:
    assert minmax(np.array([2.0, 4.0, 3.0])).tolist() == [0.0, 1.0, 0.5]
    assert minmax(np.array([-1.0, 3.0, 0.0])).tolist() == pytest.approx([0.0, 1.0, 0.25])


def test_equal_scores_and_none() -> None:
    assert minmax(np.array([7.0, 7.0])).tolist() == [0.0, 0.0]
    assert minmax(np.zeros(0)).tolist() == []


@given(st.lists(st.integers(-1000, 1000), min_size=2, unique=True))
def test_order_is_kept_and_the_ends_are_0_and_1(values: list[int]) -> None:
    scaled = minmax(np.array(values, dtype=np.float64))
    assert (scaled.min(), scaled.max()) == (0.0, 1.0)
    assert np.argsort(scaled).tolist() == np.argsort(values).tolist()
