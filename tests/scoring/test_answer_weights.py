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
    assert set(level) == {"turns", "notes"}
    for judge in level.values():
        assert set(judge.answer.weights) | set(judge.topic.weights) <= set(WHOLE)
        assert set(judge.hit.weights) <= set(FEATURES)
        for model in (judge.answer, judge.topic, judge.hit):
            assert all(_sign(feature) * weight >= 0 for feature, weight in model.weights.items())


def test_log_odds_are_a_weighted_sum() -> None:
    model = Weights({"a": 2.0, "c": -1.0}, 0.5)
    # 0.5 + 2 · 0.25 - 1 · 1 = 0
    assert model.log_odds(("a", "b", "c"), np.array([0.25, 9.0, 1.0])) == 0.0
