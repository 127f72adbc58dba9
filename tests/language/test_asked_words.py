"""The words of a question that say what it asks for, its names, and kinds of answers with a closed vocabulary."""

from __future__ import annotations

import pytest

from combray.language.answer_kinds import asked_kind
from combray.language.asked_words import asked_words, asks_several


def test_names_are_told_from_what_is_asked() -> None:
    found = {each.word: each.name for each in asked_words("What does Tom eat for breakfast?")}
    assert found == {"tom": True, "eat": False, "breakfast": False}


def test_a_question_of_names_alone_asks_about_them() -> None:
    assert [each.name for each in asked_words("Who is Marta Klein?")] == [False, False]


@pytest.mark.parametrize(
    ("question", "kind", "held", "lacking"),
    [
        ("What colour is our car?", "colour", "The car is dark blue.", "The car needs new tyres."),
        ("How old is Grandma?", "age", "Grandma turned 81 in May.", "Grandma knits."),
        ("What is Gwen's phone number?", "phone", "Gwen: 07700 900 123", "Gwen has a new phone."),
        ("小雨几岁了？", "age", "小雨今年六岁。", "小雨对花生过敏。"),
        ("Xe máy của tôi màu gì?", "colour", "Xe máy của tôi màu đỏ.", "Xe máy phải thay nhớt."),
    ],
)
def test_a_kind_is_held_or_not(question: str, kind: str, held: str, lacking: str) -> None:
    found = asked_kind(question)
    assert found is not None
    assert found.name == kind
    assert found.held(held)
    assert not found.held(lacking)


@pytest.mark.parametrize("question", ["AI budget", "Why did we move?", "Is the colour printer broken?", ""])
def test_a_question_without_a_closed_kind_has_none(question: str) -> None:
    assert asked_kind(question) is None


@pytest.mark.parametrize(
    ("question", "several"),
    [
        ("When does the ferry leave, and from which pier?", True),
        ("Wann fährt die Fähre, und von welchem Steg, und wer steuert sie?", True),
        ("When does the ferry leave?", False),
        ("ferry and pier", False),
    ],
)
def test_a_question_for_several_things(question: str, several: bool) -> None:
    assert asks_several(question) is several
