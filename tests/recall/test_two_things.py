"""Numbers, names and words that identify make two statements about two things: neither doubts the other."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

import combray

START = datetime(2026, 1, 5, 9, tzinfo=UTC)
OTHERS = ("The printer is on the second floor.", "Ben keeps two goats.", "Lunch is at noon.")


def marked(earlier: str, later: str, question: str) -> list[str]:
    """What is marked as perhaps outdated, two months later, in a small store."""
    now = [START]
    engine = combray.open(":memory:", clock=lambda: now[0].timestamp())
    for text in OTHERS:
        engine.remember(text)
        now[0] += timedelta(days=10)
    for text in (earlier, later):
        engine.remember(text, author="user")
        now[0] += timedelta(days=60)
    return [hit.memory.content for hit in engine.recall(question) if hit.may_be_outdated_by]


@pytest.mark.parametrize(
    ("earlier", "later", "question"),
    [
        ("Locker 7 is next to the door.", "Locker 8 is next to the window.", "Where is locker 7?"),
        (
            "The Lyon branch opens at 9:00.",
            "The Nantes branch opens at 10:00.",
            "When does the Lyon branch open?",
        ),
        (
            "The upper floor is painted green.",
            "The lower floor is painted blue.",
            "What colour is the upper floor?",
        ),
        ("My sister Mara works at Siemens.", "My cousin Jonas works at Bosch.", "Where does Mara work?"),
        ("The left speaker hums.", "The right speaker crackles.", "What does the left speaker do?"),
    ],
)
def test_two_things_are_not_marked(earlier: str, later: str, question: str) -> None:
    assert marked(earlier, later, question) == []


@pytest.mark.parametrize(
    ("earlier", "later", "question"),
    [
        ("Standup is at 9:30.", "Standup is at 10:00 now.", "When is the standup?"),
        ("The Lyon branch opens at 9:00.", "The Lyon branch opens at 10:00.", "When does the Lyon branch open?"),
    ],
)
def test_another_value_of_one_thing_is_marked(earlier: str, later: str, question: str) -> None:
    assert marked(earlier, later, question) == [earlier]
