import numpy as np
import pytest

from combray.scoring.ranking import ranked


def test_higher_first_ties_by_key_zero_and_less_left_out() -> None:
    keys = np.array([3, 5, 8, 9, 12])
    scores = np.array([1.0, 2.0, 1.0, 0.0, -9.0])
    found = ranked(keys, scores, 10)
    assert (found.keys.tolist(), found.scores.tolist()) == ([5, 3, 8], [2.0, 1.0, 1.0])


@pytest.mark.parametrize(("limit", "wanted"), [(0, []), (-1, []), (1, [5]), (2, [5, 3]), (3, [5, 3, 8])])
def test_a_limit_cuts_between_ties_by_key(limit: int, wanted: list[int]) -> None:
    keys, scores = np.array([3, 5, 8, 9]), np.array([1.0, 2.0, 1.0, 1.0])
    assert ranked(keys, scores, limit).keys.tolist() == wanted
