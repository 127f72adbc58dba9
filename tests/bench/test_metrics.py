import math

import pytest

from bench.quality import metrics

RANKED = ["a", "x", "b", "y", "z", "c"]
GOLD = {"a", "b", "c"}


def test_recall_is_the_share_of_gold_among_the_first_k() -> None:
    assert metrics.recall(RANKED, GOLD, 1) == pytest.approx(1 / 3)
    assert metrics.recall(RANKED, GOLD, 5) == pytest.approx(2 / 3)
    assert metrics.recall(RANKED, GOLD, 50) == 1.0


def test_hit_needs_one_and_complete_needs_all() -> None:
    assert metrics.hit(["x", "a"], GOLD, 1) == 0.0
    assert metrics.hit(["x", "a"], GOLD, 2) == 1.0
    assert metrics.complete(RANKED, GOLD, 5) == 0.0
    assert metrics.complete(RANKED, GOLD, 6) == 1.0


def test_reciprocal_rank_counts_the_first_gold_within_k() -> None:
    assert metrics.reciprocal_rank(["x", "y", "z", "b"], GOLD, 5) == 0.25
    assert metrics.reciprocal_rank(["x", "y", "z", "b"], GOLD, 3) == 0.0


def test_ndcg_by_hand() -> None:
    # Gold at places 1 and 3 of five: 1/log2(2) + 1/log2(4) = 1.5. Best with three gold: 1 + 1/log2(3) + 0.5.
    best = 1.5 + 1 / math.log2(3)
    assert metrics.ndcg(RANKED, GOLD, 5) == pytest.approx(1.5 / best)
    # The ideal never holds more than k: with k = 1 one gold in place 1 is perfect.
    assert metrics.ndcg(RANKED, GOLD, 1) == 1.0


def test_a_place_that_counts_for_nothing_still_takes_a_place() -> None:
    assert metrics.recall(["a", None, "b"], {"a", "b"}, 2) == 0.5
    assert metrics.reciprocal_rank([None, "a"], {"a"}, 5) == 0.5


def test_scores_hold_every_measure_at_every_cut_and_refuse_no_gold() -> None:
    found = metrics.scores(RANKED, GOLD)
    assert len(found) == 5 * 4
    assert found["all@5"] == 0.0
    assert found["recall@10"] == 1.0
    with pytest.raises(ValueError, match="without gold"):
        metrics.scores(RANKED, set())


def test_summary_gives_the_mean_and_a_seeded_interval_around_it() -> None:
    rows = [{"recall@10": value} for value in (0.0, 1.0, 1.0, 1.0)]
    found = metrics.summary(rows, seed=7)["recall@10"]
    assert found["mean"] == 0.75
    assert found["questions"] == 4
    assert 0.0 <= found["low"] < 0.75 < found["high"] <= 1.0
    assert metrics.summary(rows, seed=7)["recall@10"] == found


def test_interval_of_equal_values_has_no_width() -> None:
    found = metrics.summary([{"hit@5": 0.5}] * 6)["hit@5"]
    assert (found["low"], found["high"]) == (0.5, 0.5)


def test_interval_is_as_wide_as_the_binomial_says() -> None:
    # 400 questions, half of them right: the standard error is sqrt(.25 / 400) = .025, so +- .049.
    found = metrics.summary([{"hit@5": float(n % 2)} for n in range(400)], seed=1)["hit@5"]
    assert found["low"] == pytest.approx(0.451, abs=0.01)
    assert found["high"] == pytest.approx(0.549, abs=0.01)
