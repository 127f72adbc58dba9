import numpy as np
import pytest

from combray.runtime import Ranked
from combray.scoring.ranking import reciprocal_rank_fusion


def ranked(*keys: int, scores: tuple[float, ...] = ()) -> Ranked:
    order = scores or tuple(range(len(keys), 0, -1))
    return Ranked(np.array(keys, dtype=np.int64), np.array(order, dtype=np.float64))


def test_sum_over_lists_by_hand() -> None:
    keys = np.array([2, 5, 8], dtype=np.int64)
    lists = [ranked(5, 2), ranked(8, 5)]
    # Ranks from 0: key 2 second in one list; key 5 first and second; key 8 first.
    assert reciprocal_rank_fusion(keys, lists).tolist() == pytest.approx([1 / 62, 1 / 61 + 1 / 62, 1 / 61])


def test_k_softens_the_top() -> None:
    keys = np.array([1, 2], dtype=np.int64)
    lists = [ranked(1, 2)]
    assert reciprocal_rank_fusion(keys, lists, k=0).tolist() == pytest.approx([1.0, 0.5])


def test_no_lists_give_zeros() -> None:
    assert reciprocal_rank_fusion(np.array([1, 2], dtype=np.int64), []).tolist() == [0.0, 0.0]


def test_equal_scores_share_a_rank_if_asked_for() -> None:
    keys = np.array([1, 2, 3], dtype=np.int64)
    fused = reciprocal_rank_fusion(keys, [ranked(1, 2, 3, scores=(0.5, 0.5, 0.2))], tied=True)
    assert fused.tolist() == pytest.approx([1 / 61, 1 / 61, 1 / 63])
