"""The confidence of an answer is a logistic function of the evidence and of the number of memories."""

from __future__ import annotations

import pytest

from combray.forms.recalling import Level
from combray.recall.evidence import WEIGHTS, confidence_of


@pytest.mark.parametrize(
    ("level", "met", "trials", "expected"),
    [
        # z = -3.62 + 6.24 - 0.129 · ln 10 = 2.62 - 0.2970 = 2.3230; 1 / (1 + exp(-2.3230)) = 0.9108
        ("static", 1.0, 10, 0.9108),
        # z = -2.80 + 6.39 · 0.5 - 0.145 · ln 100 = 0.395 - 0.6677 = -0.2727; 1 / (1 + exp(0.2727)) = 0.4322
        ("none", 0.5, 100, 0.4322),
        # z = -3.58, for nothing that is met in one memory; 1 / (1 + exp(3.58)) = 0.0271
        ("contextual", 0.0, 1, 0.0271),
    ],
)
def test_values_worked_by_hand(level: Level, met: float, trials: int, expected: float) -> None:
    assert confidence_of(level, met, trials) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("level", sorted(WEIGHTS))
def test_it_rises_with_the_evidence_and_falls_with_the_size_of_the_store(level: Level) -> None:
    by_evidence = [confidence_of(level, met / 10, 200) for met in range(11)]
    by_size = [confidence_of(level, 0.6, trials) for trials in (1, 10, 100, 10_000, 1_000_000)]
    assert by_evidence == sorted(by_evidence)
    assert by_size == sorted(by_size, reverse=True)
    assert all(0.0 <= each <= 1.0 for each in (*by_evidence, *by_size))


def test_it_is_rounded_to_four_decimals() -> None:
    value = confidence_of("static", 1 / 3, 7)
    assert value == round(value, 4)
