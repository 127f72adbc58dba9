"""A change that the words alone show is asked about from the first memory on: corrections correct."""

from __future__ import annotations

import pytest

import combray
from combray.language.revisions import another_value, said

OTHERS = (
    "Mom's birthday is March 3rd",
    "I parked the car on level 4, row B",
    "We decided to ship the beta on 12 May",
    "I prefer window seats on flights",
    "Blue suede shoes are in the hallway closet",
)
CHANGES = (
    ("Standup is at 9:30", "Standup is at 10:00"),
    ("The feature flag is ON", "The feature flag is OFF"),
    ("My favourite colour is blue", "My favourite colour is green"),
    ("Jonas works at Siemens", "Jonas works at Bosch"),
    ("I live in Lisbon with my cat Miso", "We moved to Porto last week"),
    ("我住在北京", "我搬到上海了"),
    ("I live in Porto", "Since today I live in Braga"),
    ("我住在上海。", "我从今天起住在杭州。"),
    ("Tôi sống ở Huế.", "Từ hôm nay tôi sống ở Đà Nẵng."),
)
OTHER_THINGS = (
    ("The router is in the hallway", "The printer is in the hallway"),
    ("Node 7 is up", "Node 8 is up"),
    ("The capital of France is Paris", "The capital of Spain is Madrid"),
    ("I live in Lisbon with my cat Miso", "The car has a new clutch"),
)


@pytest.mark.parametrize("embedder", ["none", "wordllama"])
@pytest.mark.parametrize("before", [(), OTHERS], ids=["alone", "beside others"])
@pytest.mark.parametrize(("old", "new"), CHANGES)
def test_the_earlier_statement_is_asked_about(embedder: str, before: tuple[str, ...], old: str, new: str) -> None:
    with combray.open(":memory:", embedder=embedder) as engine:
        engine.remember_many(list(before))
        first = engine.remember(old)
        asked = engine.remember(new).may_revise
        assert [each.id for each in asked][:1] == [first.id]


@pytest.mark.parametrize("embedder", ["none", "wordllama"])
@pytest.mark.parametrize(("old", "new"), OTHER_THINGS)
def test_another_thing_is_not(embedder: str, old: str, new: str) -> None:
    with combray.open(":memory:", embedder=embedder) as engine:
        engine.remember(old)
        assert engine.remember(new).may_revise == ()


def test_a_list_that_is_stored_twice_leaves_one_memory_a_line() -> None:
    lines = [f"The port of service {name} is {8000 + place}" for place, name in enumerate("abcdef")]
    with combray.open(":memory:") as engine:
        for line in (*lines, *lines):
            engine.remember(line)
        assert engine.store.status()["total_insights"] == len(lines)


def test_what_somebody_else_says_of_oneself_is_not_asked_about() -> None:
    with combray.open(":memory:") as engine:
        engine.remember("My favourite colour is blue", author="Ann")
        assert engine.remember("My favourite colour is green", author="Bob").may_revise == ()


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("Standup is at 9:30", "Standup is at 10:00", True),
        ("The deploy runs on Friday", "The deploy runs on Monday evening", True),
        # Another subject, the same sentence, another sentence with one word in common.
        ("Node 7 is up", "Node 8 is up", False),
        ("Standup is at 9:30", "Standup is at 9:30", False),
        ("Standup was fun", "Standup starts late because of the train", False),
        # More stands behind the difference than before it.
        ("I ran 5 km along the river today", "I ran 7 km along the river today", False),
    ],
)
def test_one_sentence_with_another_value_in_its_end(old: str, new: str, same: bool) -> None:
    assert another_value(said(new), said(old)) is same


ADDED = (
    ("I speak French and Spanish.", "I also speak Finnish.", "Which languages do I speak?"),
    ("We have a dog called Rex.", "We have a cat called Minka too.", "What did I say about our dog and our cat?"),
    ("Ich spreche Französisch.", "Ich spreche auch Finnisch.", "Welche Sprachen spreche ich?"),
    ("Je parle espagnol.", "Je parle aussi finnois.", "Quelles langues est-ce que je parle ?"),
    ("我会说法语。", "我也会说芬兰语。", "我会说哪些语言？"),
    ("Tôi nói tiếng Pháp.", "Tôi cũng nói tiếng Phần Lan.", "Tôi nói những thứ tiếng nào?"),
)


@pytest.mark.parametrize("embedder", ["none", "wordllama"])
@pytest.mark.parametrize(("old", "new", "question"), ADDED)
def test_what_only_adds_replaces_nothing(embedder: str, old: str, new: str, question: str) -> None:
    with combray.open(":memory:", embedder=embedder) as engine:
        engine.remember(old)
        assert engine.remember(new).may_revise == ()
        hits = engine.recall(question).hits
        assert {hit.memory.content for hit in hits} == {old, new}
        assert not any(hit.may_be_outdated_by for hit in hits)


@pytest.mark.parametrize("embedder", ["none", "wordllama"])
def test_what_adds_words_of_a_change_still_asks(embedder: str) -> None:
    with combray.open(":memory:", embedder=embedder) as engine:
        first = engine.remember("Stand-up is at 9:30 on Mondays.")
        moved = engine.remember("The stand-up on Mondays moves as well, from now on it is at 10:00.")
        assert [each.id for each in moved.may_revise] == [first.id]


@pytest.mark.parametrize("embedder", ["none", "wordllama"])
def test_of_two_notes_of_one_day_the_second_may_change_the_first(embedder: str) -> None:
    with combray.open(":memory:", embedder=embedder) as engine:
        first = engine.remember("My dentist is Dr Roe.", author="user", occurred_at="2025-03-03")
        second = engine.remember("My dentist is Dr Hale now.", author="user", occurred_at="2025-03-03")
        assert [each.id for each in second.may_revise] == [first.id]
        hits = engine.recall("Who is my dentist?")
        # One slot, two values: the newest stands first.
        assert [hit.memory.id for hit in hits] == [second.id, first.id]
