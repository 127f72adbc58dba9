"""The confidence of `think`: how well the cited memories support the answer."""

from __future__ import annotations

import pytest

import combray
from combray import presets
from combray.testing.fakes import FakeClock, FakeLanguageModel
from combray.think.thought import Thought

POSTGRES = "We chose PostgreSQL because SQLite lost two bookings. The meeting was long."
WHY = "Why did we choose PostgreSQL?"


def thought(said: str, preset: str, embedder: str) -> Thought:
    """The answer to WHY with a model that says this."""
    model = FakeLanguageModel([said])
    engine = combray.open(":memory:", embedder=embedder, preset=preset, language_model=model, clock=FakeClock())
    engine.remember(POSTGRES)
    if embedder != "none":
        engine.vectors.make()
    return engine.think(WHY)


@pytest.mark.parametrize("embedder", ["wordllama", "none"])
@pytest.mark.parametrize("preset", presets.names())
def test_a_verified_answer_has_the_confidence_of_its_citations(preset: str, embedder: str) -> None:
    """Issue 14, wrong 9. Every word is in the memory: 1. One of four ("valuable") is not: 0.75."""
    quoted = thought("SQLite lost two bookings [1].", preset, embedder)
    assert (quoted.mode, quoted.known) == ("model", True)
    assert quoted.confidence == 1.0
    with_a_new_word = thought("SQLite lost valuable bookings [1].", preset, embedder)
    assert with_a_new_word.mode == "model"
    assert with_a_new_word.confidence == pytest.approx(0.75)


def test_of_two_sentences_it_is_the_mean_and_a_dropped_one_does_not_count() -> None:
    """(1 + 0.75) / 2 = 0.875; the invented 5000 euros are rejected."""
    said = "The meeting was long [1]. SQLite lost valuable bookings [1]. It cost 5000 euros [1]."
    found = thought(said, "default", "wordllama")
    assert len(found.dropped) == 1
    assert found.confidence == pytest.approx(0.875)


def test_an_answer_that_is_not_known_has_none() -> None:
    assert thought("I don't know.", "engram", "none").confidence == 0.0
