"""When recall says that what it found is weak."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import combray
from combray import Engine
from combray.testing.fakes import FakeClock

FACTS = ("The rate limit is 600 requests a minute.", "Ana keeps bees.", "The office is in Harbour Street.")


def filled(turns: int = 0) -> Engine:
    engine = combray.open(":memory:", embedder="none", clock=FakeClock())
    engine.remember_many([*FACTS, *(f"Turn {number} was about tea." for number in range(turns))], diff=False)
    return engine


@pytest.fixture(scope="module")
def large() -> Iterator[Engine]:
    """A store of 603 memories. No test writes to it."""
    with filled(600) as engine:
        yield engine


def test_what_shares_one_word_of_four_is_shown_and_called_weak(large: Engine) -> None:
    weak = large.recall("Which office printer jams with paper?")
    assert weak.hits[0].memory.content == "The office is in Harbour Street."
    assert weak.details["weak"] == f"confidence {weak.details['confidence']:.2f} is below 0.10"
    assert weak.reason.endswith(f"; weak evidence: {weak.details['weak']}")


def test_what_answers_is_not_called_weak(large: Engine) -> None:
    sure = large.recall("What is the rate limit?")
    assert sure.confidence == sure.details["confidence"] > 0.8
    assert "weak" not in sure.details
    assert "weak" not in sure.reason


def test_the_same_evidence_is_weaker_among_many(large: Engine) -> None:
    """One word of three is met."""
    few, many = filled().recall("Which office printer jams?"), large.recall("Which office printer jams?")
    assert few.hits[0].memory.content == many.hits[0].memory.content == "The office is in Harbour Street."
    assert many.confidence < few.confidence
