"""Preset mnemon: whom a question names is an entity of it, if the author field knows the name."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from exact import opened

from combray.testing.fakes import FakeClock

SAID = (("Ana", "I paint on Sundays"), ("Ben", "I paint on rainy days"), ("小明", "我画山"))

pytestmark = pytest.mark.parametrize("embedder", ["wordllama", "none"])


def entity_signals(question: str, embedder: str) -> Mapping[str, float]:
    """The signal of each author's memory."""
    engine = opened(FakeClock(), embedder)
    for author, text in SAID:
        engine.remember(text, author=author, diff=False)
    return {str(hit.memory.author): hit.signals["entity"] for hit in engine.recall(question)}


@pytest.mark.parametrize(
    ("question", "signals"),
    [
        ("What does Ana paint?", {"Ana": 1.0, "Ben": 0.0}),
        ("What do Ana and Ben paint?", {"Ana": 0.5, "Ben": 0.5}),
        ("Who would paint?", {"Ana": 0.0, "Ben": 0.0}),
        ("小明画什么？", {"小明": 1.0}),
    ],
)
def test_an_author_in_the_question_is_an_entity_of_what_was_said(
    question: str, signals: Mapping[str, float], embedder: str
) -> None:
    """ "entity_score = matched_entities / max(1, query_entities_count)"."""
    found = entity_signals(question, embedder)
    assert {author: found[author] for author in signals} == signals


def test_whose_words_they_are_decides_between_equal_words(embedder: str) -> None:
    engine = opened(FakeClock(), embedder)
    for author, text in (("Ben", "The hen house is painted green"), ("Ana", "The hen house is painted white")):
        engine.remember(text, author=author, diff=False)
    for author in ("Ana", "Ben"):
        assert engine.recall(f"How is the hen house of {author} painted?")[0].memory.author == author
