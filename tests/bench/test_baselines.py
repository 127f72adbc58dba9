import math

import numpy as np
import pytest

from bench.quality.baselines import BM25, Dense, Hybrid, best, scaled
from combray.testing.fakes import FakeEmbedder

TEXTS = ["red kiln", "blue kiln", "green garden bench"]


def test_bm25_by_hand() -> None:
    # "red": in 1 of 3 texts, idf = ln(1 + 2.5 / 1.5); length 2 of a mean 7/3: norm = 1.2 (.25 + .75 * 6/7).
    norm = 1.2 * (0.25 + 0.75 * 2 / (7 / 3))
    expected = math.log(1 + 2.5 / 1.5) * 2.2 / (1 + norm)
    assert BM25(TEXTS).scores("red") == pytest.approx([expected, 0, 0])


def test_bm25_repeats_count_less_and_unknown_words_nothing() -> None:
    found = BM25(["kiln kiln", "kiln bench", "garden shed"]).scores("kiln zebra")
    assert found[0] > found[1] > found[2] == 0
    assert found[0] < 2 * found[1]


def test_hybrid_is_half_of_each_scaled_arm() -> None:
    keyword, dense = BM25(TEXTS), Dense(TEXTS, FakeEmbedder())
    expected = 0.5 * scaled(keyword.scores("blue kiln")) + 0.5 * scaled(dense.scores("blue kiln"))
    assert Hybrid(keyword, dense).scores("blue kiln") == pytest.approx(expected)
    assert Hybrid(keyword, dense).scores("blue kiln")[1] == 1.0


def test_best_orders_by_score_then_row_and_leaves_zero_out() -> None:
    assert best(np.array([0.2, 0.0, 0.5, 0.2]), 10) == [2, 0, 3]
    assert best(np.array([0.2, 0.0, 0.5, 0.2]), 1) == [2]
    assert scaled(np.array([3.0, 3.0])).tolist() == [0.0, 0.0]
