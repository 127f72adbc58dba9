"""Questions about the past: their words, in English, Chinese and Vietnamese."""

from __future__ import annotations

import pytest

from combray.language.questions import read


@pytest.mark.parametrize(
    "question",
    [
        "What was the backend made of when Zoltan started?",
        "Where was Mira before Utrecht?",
        "What did the desk look like at first?",
        "Where did Clementine eat on Sundays as a child?",
        "What is my ex called?",
        "我小时候住在哪里?",
        "Hồi nhỏ mình sống ở đâu?",
    ],
)
def test_questions_about_the_past(question: str) -> None:
    assert read(question, ()).asks_past


@pytest.mark.parametrize(
    "question",
    [
        "What was her name again?",
        "When was the boiler serviced?",
        "Where do I live?",
        "What should I do before I leave?",
        "我现在住在哪里?",
        "Mình đang sống ở đâu?",
    ],
)
def test_questions_that_do_not_ask_for_the_past(question: str) -> None:
    assert not read(question, ()).asks_past
