"""The words of a question that say what it asks for and its names."""

from __future__ import annotations

from combray.language.questions import asked_words


def test_names_are_told_from_what_is_asked() -> None:
    found = {each.word: each.name for each in asked_words("What does Tom eat for breakfast?")}
    assert found == {"tom": True, "eat": False, "breakfast": False}


def test_a_question_of_names_alone_asks_about_them() -> None:
    assert [each.name for each in asked_words("Who is Marta Klein?")] == [False, False]
