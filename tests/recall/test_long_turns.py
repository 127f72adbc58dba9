"""Turns of many words, as in chats with an assistant: judged by confidence and score, not by models of notes."""

from __future__ import annotations

from pathlib import Path

import pytest

import combray
from bench.quality import loaders
from bench.quality.systems import Combray

ROOT = Path(__file__).parents[2]
CHATS = loaders.load("assistant-chats", ROOT / "bench" / "sets" / "assistant-chats.jsonl")


@pytest.mark.parametrize(("embedder", "least"), [("none", 0.90), ("wordllama", 0.90)])
def test_the_cut_leaves_the_turn_that_answers(embedder: str, least: float) -> None:
    """40 turns of some hundred words: with models of notes 85 % of the answers were left."""
    found = []
    for collection in CHATS.collections:
        asked = Combray("default", embedder).fill(collection)
        for question in collection.asked:
            ranked = collection.units(asked.ask(question.text).refs)[:10]
            found.append(len(set(ranked) & set(question.gold)) / len(question.gold))
    assert sum(found) / len(found) >= least


@pytest.mark.parametrize("embedder", ["none", "wordllama"])
def test_a_question_about_nothing_in_a_chat_is_refused(embedder: str) -> None:
    asked = Combray("default", embedder).fill(CHATS.collections[0])
    questions = (
        "Who won the Eurovision contest in 1998?",
        "How do I sharpen the blades of a combine harvester?",
        "What is the capital of Mongolia?",
        "Which team plays at the velodrome tonight?",
    )
    refused = [question for question in questions if not asked.ask(question).refs]
    assert len(refused) >= 3, refused


@pytest.mark.parametrize(("caution", "answered"), [("-5", True), ("0", False), ("5", False)])
def test_caution_moves_the_bound_of_long_turns(
    caution: str, answered: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`caution` from -5 to 5: each fifth of it is a share of the bound, so with -5 no confidence is too low."""
    monkeypatch.setenv("COMBRAY_CAUTION", caution)
    with combray.open(":memory:", embedder="wordllama", worker=False) as engine:
        for item in CHATS.collections[0].items:
            engine.conversation(item.session or "chat").add(item.text, author=item.author)
        answer = engine.recall("How much is a tram ticket?")
    assert bool(answer) is answered, answer.reason
