"""The pattern of all questions for a kind of answer finds what the single patterns find."""

from __future__ import annotations

import re

import pytest

from combray.language.answer_kinds import _any_of, asked_kinds

PATTERNS = [r"\bhow (?:old|tall)\b", r"\bwhat age\b|\baged\b", r"\bborn|reborn", "^who", r"\b(?:one|two)s?\b"]


@pytest.mark.parametrize(
    "text", ["how old is she", "show old", "she is aged 5", "unborn", "reborn", "who", "and who", "twos", "atone"]
)
def test_patterns_are_found_together_where_one_is_found(text: str) -> None:
    together = _any_of(PATTERNS)
    assert together is not None
    assert bool(together.search(text)) is any(re.search(each, text) for each in PATTERNS)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("How many employees were fired?", "Ten employees were fired."),
        ("How many employees were fired?", "It was bad. Twelve employees were fired."),
        ("Wie viele Leute wurden entlassen?", "Siebzehn Leute wurden entlassen."),
        ("Wann beginnt die Sitzung?", "Die Sitzung beginnt um neun."),
        ("Wann fährt der Zug?", "Der Zug fährt um halb acht."),
        ("Wie alt ist Ben?", "Ben ist vierzig."),
        ("Wie alt ist Ben?", "Ben wird bald einundzwanzig."),
        ("Wie hoch ist die Miete?", "Die Miete beträgt neunhundert Euro."),
        ("Combien de chats y a-t-il ?", "Il y a quarante chats."),
        ("¿Cuántos gatos hay?", "Hay cuarenta gatos."),
        ("¿Cuándo empieza la reunión?", "La reunión empieza a las nueve."),
    ],
)
def test_a_number_in_words_is_an_answer(question: str, text: str) -> None:
    found = asked_kinds(question)
    assert found
    assert all(kind.held(text) for kind, _ in found.values())


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("How many employees were fired?", "Employees were fired."),
        ("Wie viele Leute wurden entlassen?", "Leute wurden entlassen."),
        ("Wann beginnt die Sitzung?", "Die Sitzung beginnt pünktlich."),
        ("Wie alt ist Ben?", "Ben ist klug."),
    ],
)
def test_a_text_without_a_number_is_none(question: str, text: str) -> None:
    assert not any(kind.held(text) for kind, _ in asked_kinds(question).values())
