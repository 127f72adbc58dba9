"""The shipped ranker of revisions, and the budget that limits how many are raised."""

import numpy as np
import pytest

from combray.facts.candidates import FEATURES
from combray.facts.ranker import WARM, WINDOW, Budget, Level, feature_names, probabilities, ranker


def test_the_weights_belong_to_the_features() -> None:
    assert feature_names() == list(FEATURES)


@pytest.mark.parametrize("level", ["none", "static", "contextual"])
def test_a_probability_is_between_0_and_1(level: Level) -> None:
    rows = np.random.default_rng(3).normal(0, 3, (50, len(FEATURES)))
    found = probabilities(rows, level)
    assert ((found > 0) & (found < 1)).all()
    assert 0 < ranker(level).raise_from < 1


def test_until_it_is_warm_the_shipped_threshold_decides() -> None:
    budget = Budget(b"", 0.1, 0.5)
    assert [budget.raises(score) for score in (0.49, 0.5, 0.9)] == [False, True, True]


def test_then_the_share_of_recent_writes_decides() -> None:
    """Of 50 writes with the codes 0 to 49, five may be exceeded by less than a tenth: the sixth highest is 44."""
    budget = Budget(bytes(range(WARM)), 0.1, 0.99)
    assert not budget.raises(44 / 255)
    # Now 51 scores, two of them 44: the sixth highest is still 44.
    assert budget.raises(45 / 255)


def test_a_quiet_store_raises_what_its_own_writes_rarely_reach() -> None:
    quiet, busy = Budget(bytes(100), 0.08, 0.9), Budget(bytes([200]) * 100, 0.08, 0.1)
    assert quiet.raises(0.2)
    assert not busy.raises(0.6)


def test_at_most_the_budget_is_raised_in_the_long_run() -> None:
    random = np.random.default_rng(7)
    budget = Budget(b"", 0.08, 2.0)
    raised = [budget.raises(float(score)) for score in random.beta(1, 8, 2_000)]
    assert 0.05 < np.mean(raised) < 0.10


def test_the_state_is_bounded() -> None:
    budget = Budget(bytes(WINDOW), 0.1, 0.5)
    budget.raises(1.0)
    assert len(budget.scores) == WINDOW
    assert budget.scores[-1] == 255


def test_no_budget_raises_nothing() -> None:
    assert not Budget(b"", 0.0, 0.1).raises(1.0)
    assert not Budget(bytes(WARM), 0.0, 0.1).raises(1.0)
