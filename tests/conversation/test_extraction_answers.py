"""Answers of a model in every form it may give, and whether turns say what a fact says."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from msgspec.structs import replace

from combray.conversation.extraction_prompt import (
    AnswerParts,
    KnownRelation,
    StatedFact,
    UnusableError,
    is_supported,
    read,
    supporting,
)
from combray.testing.fakes import memory
from combray.types import Memory

FACT = {"fact": "Ann lives in Porto", "lines": [1]}
OBJECT: dict[str, list[dict[str, Any]]] = {
    "facts": [FACT],
    "known": [{"known": 1, "relation": "same", "fact": 1, "lines": [1]}],
}
STATED = StatedFact("Ann lives in Porto", [1])
SAME = KnownRelation(1, "same", 1, [1])


@pytest.mark.parametrize(
    ("answer", "known"),
    [
        (json.dumps(OBJECT), True),
        (f"```json\n{json.dumps(OBJECT, indent=2)}\n```", True),
        (f"Here you are: {json.dumps(OBJECT)} Anything else?", True),
        (json.dumps({"result": OBJECT}), True),
        (f"{json.dumps(OBJECT)}\n{json.dumps(OBJECT)}", True),
        (json.dumps([FACT]), False),
        (json.dumps({"memories": [FACT]}), False),
        (json.dumps({"facts": [FACT], "known": None}), False),
        (json.dumps({"facts": [{"fact": "Ann lives in Porto", "lines": ["1"], "value": None}]}), False),
    ],
)
def test_an_answer_is_read_in_any_of_these_forms(answer: str, known: bool) -> None:
    assert read(answer) == AnswerParts((STATED,), (SAME,) if known else ())


@pytest.mark.parametrize("answer", ['{"facts": [], "known": []}', "[]", "Nothing here: []", '{"facts": []}'])
def test_no_fact_is_an_answer(answer: str) -> None:
    assert read(answer) == AnswerParts(())


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "There is nothing.",
        "{}",
        '{"facts": "none"}',
        '{"facts": [{"fact": "Ann lives in Por',
        '["Ann lives in Porto"]',
        '[{"fact": "no lines"}]',
        f"{json.dumps(OBJECT)} or {json.dumps({'facts': []})}",
        "[" * 50_000,
    ],
)
def test_what_cannot_be_read_is_no_answer(answer: str) -> None:
    with pytest.raises(UnusableError):
        read(answer)


def test_parts_of_another_form_are_counted_and_keep_the_places_of_the_others() -> None:
    given = {"facts": [{"fact": 3}, FACT], "known": [{"known": 1, "relation": "perhaps"}, OBJECT["known"][0]]}
    assert read(json.dumps(given)) == AnswerParts((None, STATED), (SAME,), 2)


MAY = datetime(2026, 5, 20, tzinfo=UTC)


def turn(text: str, author: str = "user") -> Memory:
    return replace(memory(text), author=author, occurred_from=MAY, kind="episode")


@pytest.mark.parametrize(
    ("fact", "said"),
    [
        ("Ana moved to Porto in May 2026", ["Ana found a flat in Porto", "She moved there in May"]),
        ("Ana moved to Porto on 2026-05-19", ["Ana moved to Porto yesterday"]),
        ("User lives in Porto", ["I moved to Porto"]),
        ("User does not eat meat", ["I don't eat meat"]),
        ("User has 3 cats", ["I have three cats"]),
        ("User is allergic to nuts", ["I am allergic to nuts"]),
        ("用户住在上海", ["我住在上海"]),
    ],
)
def test_a_restated_fact_is_supported(fact: str, said: list[str]) -> None:
    assert is_supported(fact, "", [turn(each) for each in said])


@pytest.mark.parametrize(
    ("fact", "said"),
    [
        ("Ana moved to Porto in June 2026", ["Ana found a flat in Porto", "She moved there in May"]),
        ("Ana moved to Lisbon in May 2026", ["Ana found a flat in Porto", "She moved there in May"]),
        ("User eats meat", ["I don't eat meat"]),
        ("User does not eat meat", ["I eat meat"]),
        ("User has 4 cats", ["I have three cats"]),
        ("User is allergic to milk", ["I am allergic to nuts"]),
        ("The standup is at 9:15", ["The standup is at 9:30"]),
        ("Benutzer wohnt in einem Haus", ["I live in a house"]),
        ("用户住在北京", ["我住在上海"]),
        ("User's PIN is 4711", ["I live in Porto"]),
        ("User lives in Porto " * 20, ["I live in Porto"]),
        ("", ["I live in Porto"]),
    ],
)
def test_another_name_number_date_value_or_negation_is_not(fact: str, said: list[str]) -> None:
    assert not is_supported(fact, "", [turn(each) for each in said])


def test_the_value_of_a_slot_must_be_said() -> None:
    said = [turn("The kitchen, painted yellow since May, looks fresh", "Ann")]
    assert is_supported("Ann painted the kitchen", "yellow", said)
    assert not is_supported("Ann painted the kitchen", "green", said)


def test_a_reply_without_words_of_its_own_leans_on_the_line_before() -> None:
    asked, yes, rain = turn("Do you live in Porto?", "Bob"), turn("Yes."), turn("It rained all day")
    assert supporting("User lives in Porto", [yes, rain], [asked, asked]) == [yes]
