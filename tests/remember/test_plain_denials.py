"""A plain denial is reported as a conflict and kept beside what it denies (default preset)."""

from __future__ import annotations

from typing import Any

import pytest

import combray
from combray.forms.remembering import Remembering
from combray.remember import embed
from combray.runtime import Reader

_OTHERS = [f"Note {number}: the {thing} was checked." for number in range(20) for thing in ("pump", "valve")]
_EARLIER = [
    *_OTHERS,
    "The attic is warm in summer.",
    "The parking garage closes at midnight.",
    "My mother purchased a car.",
    "The bakery on Mill Road opens on Sundays.",
]
_LATER = [
    "In summer it is cold in the attic.",
    "My mother has not purchased a bike.",
    "At midnight the car park closes.",
    "The bakery on Mill Road does not open on Sundays.",
    "The attic is not warm in summer.",
    "The attic is not warm in winter.",
]


@pytest.mark.parametrize("embedder", ["wordllama", "none"])
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("A cat sleeps on the warm roof.", "There is no cat sleeping on the warm roof."),
        ("The bakery on Mill Road opens on Sundays.", "The bakery on Mill Road does not open on Sundays."),
        ("Der Hof ist nachts beleuchtet.", "Der Hof ist nachts nicht beleuchtet."),
        ("Le chauffage du salon marche.", "Le chauffage du salon ne marche pas."),
        ("El ascensor funciona.", "El ascensor no funciona."),
        ("Tôi ăn thịt bò.", "Tôi không ăn thịt bò."),
        ("新的解析器支持嵌套注释。", "新的解析器不支持嵌套注释。"),
    ],
)
def test_a_plain_denial_is_reported_and_both_are_kept(embedder: str, old: str, new: str) -> None:
    with combray.open(":memory:", embedder=embedder) as engine:
        first = engine.remember_many([*_OTHERS, old])[-1]
        second = engine.remember(new)
        assert (second.action, second.diff_suggestion) == ("added", "CONFLICT")
        assert engine.get(first.id).status == "active"


@pytest.mark.parametrize("embedder", ["wordllama", "none"])
def test_a_batch_finds_the_denials_that_single_writes_find(embedder: str) -> None:
    def found(*, together: bool) -> list[tuple[str, str]]:
        with combray.open(":memory:", embedder=embedder) as engine:
            engine.remember_many(_EARLIER, diff=False)
            results = engine.remember_many(_LATER) if together else [engine.remember(each) for each in _LATER]
            return [(each.diff_suggestion, each.reason) for each in results]

    single = found(together=False)
    assert found(together=True) == single
    assert [decision for decision, _ in single] == ["ADD", "ADD", "ADD", "CONFLICT", "CONFLICT", "ADD"]


def test_a_batch_compares_its_own_texts() -> None:
    with combray.open(":memory:") as engine:
        results = engine.remember_many(["The warehouse is full.", "The warehouse is not full."])
        assert [each.diff_suggestion for each in results] == ["ADD", "CONFLICT"]


def test_statements_of_two_authors_do_not_conflict() -> None:
    with combray.open(":memory:") as engine:
        engine.remember("The lake is safe for swimming.", author="Ana")
        denied = engine.remember("The lake is not safe for swimming.", author="Ben")
        assert denied.diff_suggestion == "ADD"


def test_a_large_batch_looks_at_near_texts_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is only a little near grows with the store; a write must not."""
    least: list[float] = []
    search = embed.search_nearest

    def noted(state: Remembering, reader: Reader, **options: Any) -> None:
        least.append(options["minimum"])
        search(state, reader, **options)

    monkeypatch.setattr(embed, "search_nearest", noted)
    with combray.open(":memory:") as engine:
        engine.remember_many(["The attic is hot in July.", "The flat is dark."])
        engine.remember_many([f"Room {number} is empty." for number in range(9)])
    assert least == [0.1, 0.65]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("I live in a city.", "I live in Louisiana. I live in a city."),
        ("I have a cat.", "I have no dog, I have a cat. I have a cat."),
        ("我住在城市。", "我住在上海。我住在城市。"),
    ],
)
def test_a_text_that_repeats_another_beside_more_is_stored(first: str, second: str) -> None:
    """A comparison of clauses raised here, and the whole batch was lost."""
    with combray.open(":memory:") as engine:
        assert [engine.remember(each).action for each in (first, second)] == ["added", "added"]
    with combray.open(":memory:") as engine:
        results = engine.remember_many([*_OTHERS, first, second])
        assert {each.action for each in results} == {"added"}
        assert {first, second} <= {each.content for each in engine.list(limit=100).memories}
