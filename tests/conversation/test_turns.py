"""Conversations: turns in, episodes stored as they are."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

import combray
from combray import Engine, InvalidInputError
from combray.testing.fakes import FakeClock


@pytest.fixture
def engine() -> Engine:
    return combray.open(":memory:", embedder="none", clock=FakeClock())


def test_a_turn_keeps_all_that_was_given(engine: Engine) -> None:
    turn = engine.conversation("monday").add(
        "We should move the launch",
        author="Ann",
        occurred_at="2024-03-04T10:00:00Z",
        context="a photo of a calendar",
        metadata={"turn": "D1:3"},
    )
    assert (turn.kind, turn.session, turn.position, turn.author) == ("episode", "monday", 0, "Ann")
    assert turn.occurred_from == datetime(2024, 3, 4, 10, tzinfo=UTC)
    assert (turn.context, turn.metadata) == ("a photo of a calendar", {"turn": "D1:3"})
    assert engine.get(turn.id) == turn


def test_turns_come_back_in_order(engine: Engine) -> None:
    talk = engine.conversation("monday")
    talk.add("one")
    talk.add_many([{"content": "two"}, {"text": "three"}])
    engine.conversation("tuesday").add("elsewhere")
    talk.add("four")
    assert [(turn.position, turn.content) for turn in talk.turns()] == [
        (0, "one"), (1, "two"), (2, "three"), (3, "four"),
    ]  # fmt: skip


def test_more_turns_than_a_batch(engine: Engine) -> None:
    turns = engine.conversation("long").add_many([{"content": f"turn {n}"} for n in range(300)])
    assert [turn.position for turn in turns] == list(range(300))
    assert [turn.content for turn in turns] == [f"turn {n}" for n in range(300)]


def test_the_same_words_said_twice_are_two_turns(engine: Engine) -> None:
    talk = engine.conversation("monday")
    assert talk.add("yes", author="Ann").id != talk.add("yes", author="Ann").id
    assert len(talk.turns()) == 2


def test_a_turn_is_found_by_its_neighbours_words(engine: Engine) -> None:
    """The answer to a question does not repeat its words."""
    talk = engine.conversation("monday")
    talk.add_many(
        [
            {"content": "Where did you buy the accordion?", "author": "Ann"},
            {"content": "At a flea market in Lyon", "author": "Ben"},
            *({"content": f"Anyway, about the other thing number {n}", "author": "Ann"} for n in range(12)),
        ]
    )
    found = [hit.memory.content for hit in engine.recall("Where did Ben buy the accordion?", limit=3)]
    assert "At a flea market in Lyon" in found


def test_turns_take_verdicts_and_slots(engine: Engine) -> None:
    talk = engine.conversation("a")
    first, beside = talk.add_many(
        [{"content": "I live in Leipzig", "slot": "ana.city"}, {"content": "I like tea"}]
    )
    (last,) = talk.add_many([{"content": "Porto it is", "slot": "ana.city", "keep_both": beside.id}])
    assert engine.get(first.id).superseded_by == last.id
    assert [each.subtype for each in engine.reader.edges(("may_revise",))] == ["both"]


@pytest.mark.parametrize(
    "call",
    [
        lambda engine: engine.conversation(""),
        lambda engine: engine.conversation("   "),
        lambda engine: engine.conversation("x" * 201),
        lambda engine: engine.conversation("a\x00"),
        lambda engine: engine.conversation("\ud800"),
        lambda engine: engine.conversation(5),
        lambda engine: engine.conversation("a").add(""),
        lambda engine: engine.conversation("a").add("text", occurred_at="no day"),
        lambda engine: engine.conversation("a").add("text", metadata="words"),
        lambda engine: engine.conversation("a").add_many([5], atomic=True),
        lambda engine: engine.conversation("a").add_many([{"content": "text", "mood": "good"}], atomic=True),
        lambda engine: engine.conversation("a").add_many(
            [{"content": "good"}, {"content": "x" * 200_001}], atomic=True
        ),
    ],
)
def test_unusable_turns_are_refused_and_nothing_is_stored(engine: Engine, call: Callable[[Engine], Any]) -> None:
    with pytest.raises(InvalidInputError):
        call(engine)
    assert engine.store.status()["by_status"] == {}
    assert engine.conversation("a").turns() == []
