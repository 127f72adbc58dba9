"""`engine.think` where recall finds something that is next to nothing."""

from __future__ import annotations

import pytest

import combray
from combray import presets
from combray.testing.fakes import FakeClock


@pytest.mark.parametrize("preset", presets.names())
def test_a_question_that_shares_next_to_nothing_is_not_answered(preset: str) -> None:
    """Recall finds it and doubts it."""
    engine = combray.open(":memory:", embedder="none", preset=preset, clock=FakeClock())
    engine.remember("Harbour Street is where the office moved to in the spring.")
    engine.remember_many([f"Turn {number} was about tea." for number in range(600)], diff=False)
    thought = engine.think("Which harbour did the stolen submarine enter?")
    assert not thought.known
    assert thought.reason.startswith("the evidence is weak: ")
    assert thought.citations == ()
    assert "Harbour Street" in thought.answer  # as a hint, told as no answer
    assert engine.think("Where did the office move to?").known
