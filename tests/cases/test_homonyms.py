"""Of two things with one name that is found which the question means (mem0ai/mem0#5438)."""

from __future__ import annotations

import pytest

import combray

STORED = [
    "Mercury is poisonous; keep the thermometer away.",
    "Mercury is the smallest planet.",
    "The river bank is muddy after the rain.",
    "The bank closes at four on Fridays.",
    "Java is an island of Indonesia.",
    "Java needs a virtual machine.",
    "The crane lifts the beams on Monday.",
    "The crane nests by the pond.",
    "Lunch is at noon.",
    "The printer needs toner.",
]
ASKED = [
    ("How big is Mercury?", "Mercury is the smallest planet."),
    ("Which planet is the smallest?", "Mercury is the smallest planet."),
    ("Is Mercury poisonous?", "Mercury is poisonous; keep the thermometer away."),
    ("When does the bank close?", "The bank closes at four on Fridays."),
    ("Is the river bank muddy?", "The river bank is muddy after the rain."),
    ("Which island is Java?", "Java is an island of Indonesia."),
    ("What does Java need?", "Java needs a virtual machine."),
    ("Where does the crane nest?", "The crane nests by the pond."),
    ("What does the crane lift?", "The crane lifts the beams on Monday."),
]


@pytest.mark.parametrize("embedder", ["none", "wordllama"])
@pytest.mark.parametrize(("question", "answer"), ASKED)
def test_it_is_first_or_second(question: str, answer: str, embedder: str) -> None:
    with combray.open(":memory:", embedder=embedder) as engine:
        engine.remember_many(STORED)
        assert answer in [hit.memory.content for hit in engine.recall(question)][:2]
