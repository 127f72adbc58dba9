"""The shipped weights: every feature exists, and evidence never speaks against an answer."""

from __future__ import annotations

import numpy as np
import pytest

from bench.evidence.training import _sign
from combray.recall.answer_features import FEATURES, WHOLE
from combray.scoring.answers import Weights, levels


@pytest.mark.parametrize("name", ["none", "static", "contextual"])
def test_the_weights_are_of_features_that_exist_and_have_their_signs(name: str) -> None:
    level = levels()[name]
    assert set(level.answer.weights) <= set(WHOLE)
    assert set(level.hit.weights) <= set(FEATURES)
    for weights in (level.answer.weights, level.hit.weights):
        assert all(_sign(feature) * weight >= 0 for feature, weight in weights.items())
    assert set(level.refuse) == set(level.gap) == {"turns", "notes"}


def test_log_odds_are_a_weighted_sum() -> None:
    model = Weights({"a": 2.0, "c": -1.0}, 0.5)
    # 0.5 + 2 · 0.25 - 1 · 1 = 0
    assert model.log_odds(("a", "b", "c"), np.array([0.25, 9.0, 1.0])) == 0.0
