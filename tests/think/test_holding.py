"""Without a model, `think` says that it knows only where a sentence holds what is asked. Else it quotes."""

from __future__ import annotations

import pytest

import combray
from combray.engine import Engine

STORE = (
    "My girlfriend's name is Ana.",
    "I use a Trek bike for the way to work.",
    "My dentist appointment is on 4 June at 9:30.",
    "Mireille's laptop is a Framework with Arch on it.",
    "We bought the oven in Lisbon.",
    "I work at Globex as a welder.",
)


@pytest.fixture(scope="module")
def engine() -> Engine:
    made = combray.open(":memory:")
    for text in STORE:
        made.remember(text)
    return made


@pytest.mark.parametrize(
    "question",
    ["What's my name?", "Which editor do I use?", "What laptop do I have?", "When did we buy the oven?"],
)
def test_another_fact_is_quoted_as_the_closest_and_not_claimed(engine: Engine, question: str) -> None:
    thought = engine.think(question)
    assert not thought.known
    assert thought.answer.startswith("I don't know.")
    assert thought.confidence == 0.0


def test_the_quotes_of_an_answer_that_is_not_claimed_keep_their_citations(engine: Engine) -> None:
    thought = engine.think("Which laptop does Mireille prefer?")
    assert not thought.known
    assert thought.reason == "no sentence has everything that the question asks about"
    assert [each.quote for each in thought.citations] == ["Mireille's laptop is a Framework with Arch on it."]


@pytest.mark.parametrize(
    ("question", "quote"),
    [
        ("When is my dentist appointment?", "My dentist appointment is on 4 June at 9:30."),
        ("What is my girlfriend's name?", "My girlfriend's name is Ana."),
        ("Where did we buy the oven?", "We bought the oven in Lisbon."),
        ("Where do I work?", "I work at Globex as a welder."),
    ],
)
def test_a_sentence_that_holds_the_question_is_the_answer(engine: Engine, question: str, quote: str) -> None:
    thought = engine.think(question)
    assert thought.known
    assert thought.citations[0].quote == quote
