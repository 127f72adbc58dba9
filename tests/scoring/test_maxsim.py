"""MaxSim by hand."""

from __future__ import annotations

import numpy as np
import pytest

from combray.scoring.similarity import maxsim


def rows(*given: tuple[int, int]) -> np.ndarray:
    return np.array(given, dtype=np.int8)


def test_each_token_counts_its_best_cosine() -> None:
    """(3, 4) meets (1, 0) by .6 and (0, 1) by .8; lengths mean nothing; opposite directions are below 0."""
    asked = rows((30, 40), (100, 0))
    found = maxsim(asked, [rows((127, 0)), rows((127, 0), (0, 5)), rows((-7, 0))])
    assert np.array(found) == pytest.approx(np.array([[0.6, 1.0], [0.8, 1.0], [-0.6, -1.0]]), abs=1e-6)


def test_a_zero_token_meets_nothing_and_no_texts_give_nothing() -> None:
    assert maxsim(rows((0, 0)), [rows((1, 0))])[0].tolist() == [0.0]
    assert maxsim(rows((1, 0)), []) == []
