"""Pronouns of one person in three languages, and what names tell."""

from __future__ import annotations

import pytest

from combray.language.pronouns import find, gender, may_be_person, replaced


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("he saw him and his dog", [("he", "male"), ("him", "male"), ("his", "male")]),
        ("Her book is hers, she said", [("Her", "female"), ("hers", "female"), ("she", "female")]),
        ("it is theirs and they know them", []),
        ("the theory of history, shed", []),
        # seed brief: vi anh ấy/ông ấy/chị ấy/cô ấy/bà ấy/hắn/nó, unaccented where unambiguous
        ("anh ấy, ông ấy", [("anh ấy", "male"), ("ông ấy", "male")]),
        ("chi ay, co ay, ba ay", [("chi ay", "female"), ("co ay", "female"), ("ba ay", "female")]),
        ("hắn và nó", [("hắn", ""), ("nó", "")]),
        ("no, han, no", []),
        ("họ, chúng nó", []),
        ("他和她", [("他", "male"), ("她", "female")]),
        ("他们、她们、其他、吉他", []),
        ("İstanbul he", [("he", "male")]),
    ],
)
def test_find(text: str, found: list[tuple[str, str]]) -> None:
    assert [(each.text, each.gender) for each in find(text)] == found
    assert all(text[slice(*each.span)] == each.text for each in find(text))


def test_replaced_keeps_all_else() -> None:
    names = {"male": "Bob", "female": None}
    assert (
        replaced("Is HIS plan hers, or his?", lambda each: names[each.gender]) == "Is Bob's plan hers, or Bob's?"
    )
    assert replaced("nothing here", lambda each: "Bob") == "nothing here"


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("Alice", "female"),
        ("alice Smith", "female"),
        ("Bob", "male"),
        ("Nguyễn Văn Hùng", "male"),
        ("Lan", "female"),
        ("李梅", "female"),
        ("王强", "male"),
        ("Xochiquetzin", ""),
        ("Berlin", ""),
        ("", ""),
    ],
)
def test_gender(name: str, told: str) -> None:
    assert gender(name) == told


@pytest.mark.parametrize(
    ("name", "text", "may"),
    [
        ("Zbigniew", "Then Zbigniew left", True),
        ("Berlin", "Alice moved to Berlin", False),
        ("Berlin", "Alice moved to Berlin; Berlin is large", True),
        ("HTTP", "HTTP fails", False),
        ("docs/a.md", "see docs/a.md", False),
        ("QueryEngine", "QueryEngine is slow", False),
        ("lower", "lower", False),
        ("北京", "在北京", False),
    ],
)
def test_may_be_person(name: str, text: str, may: bool) -> None:
    assert may_be_person(name, text) is may
