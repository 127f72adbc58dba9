"""The relative cut: hits far below the best are dropped and counted."""

from __future__ import annotations

import pytest

import combray
from combray import Engine
from combray.errors import InvalidInputError
from combray.testing.fakes import FakeClock

KITCHEN = (
    "The oven in the kitchen is broken.",
    "A new oven costs 400 euros.",
    "Ana plays the cello on Tuesdays.",
    "The kitchen window faces the garden.",
    "Our invoice numbers start with 2024.",
)


def filled(embedder: str) -> Engine:
    engine = combray.open(":memory:", embedder=embedder, clock=FakeClock())
    for text in KITCHEN:
        engine.remember(text, diff=False)
    return engine


@pytest.mark.parametrize("embedder", ["none", "wordllama"])
def test_hits_below_half_of_the_best_are_dropped_and_counted(embedder: str) -> None:
    engine = filled(embedder)
    every = engine.recall("Is the oven in the kitchen broken?", keep=0)
    near = engine.recall("Is the oven in the kitchen broken?")
    assert [hit.score >= 0.5 * every[0].score for hit in near] == [True] * len(near)
    assert near.hits == every.hits[: len(near)]
    assert 0 < near.details["dropped"] == len(every) - len(near)
    assert near.details["keep"] == 0.5
    assert f"{near.details['dropped']} weaker hit" in near.reason
    assert "below 0.5 of the best score" in near.reason
    assert every.details.get("dropped", 0) == 0


def test_the_setting_is_the_default_and_the_caller_goes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMBRAY_KEEP", "0")
    engine = filled("wordllama")
    assert len(engine.recall("Is the oven in the kitchen broken?")) > 1
    assert len(engine.recall("Is the oven in the kitchen broken?", keep=1)) == 1


def test_only_hits_that_the_limit_had_room_for_are_counted() -> None:
    answer = filled("none").recall("Is the oven in the kitchen broken?", keep=1, limit=2)
    assert len(answer) == 1
    assert answer.details["dropped"] == 1


def test_a_context_holds_no_weak_hits_and_says_so() -> None:
    made = filled("wordllama").context("Is the oven in the kitchen broken?")
    assert "oven in the kitchen" in made.text
    assert "cello" not in made.text
    assert "weaker" in made.state


def test_other_presets_drop_when_asked() -> None:
    engine = filled("none")
    every = engine.recall("oven kitchen broken", preset="engram")
    some = engine.recall("oven kitchen broken", preset="engram", keep=0.99)
    assert len(some) < len(every)


@pytest.mark.parametrize("keep", [-0.1, 1.5, "half", True])
def test_a_share_outside_0_to_1_is_refused(keep: object, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InvalidInputError, match="keep"):
        filled("none").recall("oven", keep=keep)  # type: ignore[arg-type]
    monkeypatch.setenv("COMBRAY_KEEP", str(keep))
    with pytest.raises(InvalidInputError, match="keep"):
        combray.open(":memory:")


def test_several_namespaces_have_one_best() -> None:
    engine = filled("none")
    engine.within("other").remember("A kitchen sink.", diff=False)
    alone = engine.within("other").recall("Is the oven in the kitchen broken?")
    both = engine.recall("Is the oven in the kitchen broken?", namespaces=["default", "other"])
    assert len(alone) == 1
    assert all(hit.score >= 0.5 * both[0].score for hit in both)


def test_the_message_just_stored_does_not_hide_its_answer() -> None:
    engine = filled("wordllama")
    engine.remember("How much does a new oven cost?", diff=False)
    found = [hit.memory.content for hit in engine.recall("How much does a new oven cost?")]
    assert found[0] == "How much does a new oven cost?"
    assert "A new oven costs 400 euros." in found


@pytest.mark.parametrize("embedder", ["none", "wordllama"])
def test_a_note_stored_near_the_day_of_a_question_is_no_answer_by_that_alone(embedder: str) -> None:
    """The clock stands at Wednesday, 1 May 2024: every note was stored within ten days after a Saturday."""
    engine = filled(embedder)
    found = [hit.memory.content for hit in engine.recall("Plan a cello evening with Ana on Saturday")]
    assert found == [KITCHEN[2]]


@pytest.mark.parametrize("embedder", ["none", "wordllama"])
def test_what_happened_that_day_needs_no_word(embedder: str) -> None:
    engine = filled(embedder)
    engine.remember("Signed the lease.", occurred_at="2024-04-27T10:00:00Z", diff=False)
    assert "Signed the lease." in [hit.memory.content for hit in engine.recall("What happened on Saturday?")]
