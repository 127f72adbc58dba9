import numpy as np
import pytest

from combray.scoring.rrf import reciprocal_rank_fusion


def test_sum_over_lists_by_hand() -> None:
    keys = np.array([2, 5, 8], dtype=np.int64)
    lists = [np.array([5, 2], dtype=np.int64), np.array([8, 5], dtype=np.int64)]
    # Ranks from 0: key 2 second in one list; key 5 first and second; key 8 first.
    assert reciprocal_rank_fusion(keys, lists).tolist() == pytest.approx([1 / 62, 1 / 61 + 1 / 62, 1 / 61])


def test_k_softens_the_top() -> None:
    keys = np.array([1, 2], dtype=np.int64)
    lists = [np.array([1, 2], dtype=np.int64)]
    assert reciprocal_rank_fusion(keys, lists, k=0).tolist() == pytest.approx([1.0, 0.5])


def test_no_lists_give_zeros() -> None:
    assert reciprocal_rank_fusion(np.array([1, 2], dtype=np.int64), []).tolist() == [0.0, 0.0]
