"""When recall says that what it found is weak, and when nothing."""

from __future__ import annotations

import math

import pytest

import combray
from combray import Engine
from combray.testing.fakes import FakeClock

FACTS = ("The rate limit is 600 requests a minute.", "Ana keeps bees.", "The office is in Harbour Street.")


def filled(turns: int = 0) -> Engine:
    engine = combray.open(":memory:", embedder="none", clock=FakeClock())
    for text in (*FACTS, *(f"Turn {number} was about tea." for number in range(turns))):
        engine.remember(text, diff=False)
    return engine


def test_what_shares_one_word_of_four_is_shown_and_called_weak() -> None:
    engine = filled(600)
    weak = engine.recall("Which office printer jams with paper?")
    assert weak.hits[0].memory.content == "The office is in Harbour Street."
    assert weak.details["weak"] == f"confidence {weak.details['confidence']:.2f} is below 0.12"
    assert weak.reason.endswith(f"; weak evidence: {weak.details['weak']}")


def test_what_answers_is_not_called_weak() -> None:
    sure = filled(600).recall("What is the rate limit?")
    assert sure.details["confidence"] > 0.12
    assert "weak" not in sure.details
    assert "weak" not in sure.reason


def test_the_best_of_few_may_be_further_away_than_the_best_of_many() -> None:
    # 0.12 · sqrt(ln 3 / ln 500) = 0.12 · sqrt(1.0986 / 6.2146) = 0.0505
    assert 0.12 * math.sqrt(math.log(3) / math.log(500)) == pytest.approx(0.0505, abs=1e-4)
    few = filled().recall("Which office printer jams?")
    assert 0.06 < few.details["confidence"] < 0.12
    assert "weak" not in few.details
