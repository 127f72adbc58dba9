"""The end of a state that a person states of themselves is a fact, and puts the fact that is over in doubt.

Source: moorcheh-ai/memanto#1557.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

import combray
from combray.language.savings import worth_saving

START = datetime(2026, 5, 4, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    [
        "I no longer work at the harbour office.",
        "We no longer live in Delft.",
        "I'm no longer left out of the rota.",
        "I don't smoke anymore.",
        "I'm not on call any more.",
        "I stopped eating meat.",
        "I gave up fencing in June.",
        "I quit my job at the mill.",
        "I used to fear dogs, but I don't any more.",
        "Ich arbeite nicht mehr im Hafen.",
        "Ich habe kein Auto mehr.",
        "Ich habe mit dem Rauchen aufgehört.",
        "Je ne fume plus.",
        "Je n'habite plus à Nantes.",
        "J'ai arrêté de boire du café.",
        "Ya no trabajo en el puerto.",
        "He dejado de fumar.",
        "Tôi không còn làm ở cảng.",
        "Tôi không hút thuốc nữa.",
        "我不再喝咖啡。",
        "我已经不住在杭州了。",
        "我把烟戒了。",
    ],
)
def test_the_end_of_a_state_of_the_speaker_is_a_fact(text: str) -> None:
    (saving,) = worth_saving(text)
    assert (saving.text, saving.category) == (text, "fact")


@pytest.mark.parametrize(
    "text",
    [
        "The kiosk no longer sells tickets.",
        "I stopped the pump before the storm.",
        "I quit the program and started it again.",
        "Lena says she no longer wants to row.",
        "Do I no longer need the form?",
        "Der Kiosk verkauft keine Karten mehr.",
        "Le kiosque ne vend plus de billets.",
        "El quiosco ya no vende billetes.",
        "这家店不卖票了。",
        "If I no longer need it, I will tell you.",
    ],
)
def test_the_end_of_anything_else_is_none(text: str) -> None:
    assert worth_saving(text) == []


@pytest.mark.parametrize(
    ("before", "after", "question"),
    [
        ("I work at the harbour office.", "I no longer work at the harbour office.", "Where do I work?"),
        ("I live in Delft.", "I don't live in Delft anymore.", "Where do I live?"),
        ("Ich wohne in Fulda.", "Ich wohne nicht mehr in Fulda.", "Wo wohne ich?"),
        ("J'habite à Nantes.", "Je n'habite plus à Nantes.", "Où est-ce que j'habite ?"),
    ],
)
def test_whoever_reads_facts_sees_that_the_state_is_over(before: str, after: str, question: str) -> None:
    now = [START]
    with combray.open(":memory:", worker=False, clock=lambda: now[0].timestamp()) as engine:
        for name, text in (("one", before), ("two", after)):
            engine.conversation(name).add(text, author="user", extract="rules")
            now[0] += timedelta(days=5)
        hits = engine.recall(question, kinds=["fact"])
        marks = {hit.memory.content: hit.may_be_outdated_by or hit.outdated_by for hit in hits}
    assert after in marks
    assert marks.get(before, "superseded") is not None
