"""Preset mnemo answers from evidence only (issue: "no evidence counts as evidence")."""

from __future__ import annotations

import pytest

import combray
from combray import Engine
from combray.testing.fakes import FakeClock

TEXTS = [
    "Ann paints the kitchen wall blue",
    "The invoices of the bakery are late",
    "Our server in Frankfurt restarts at three",
    "Tom plays the cello in a quartet",
    "The train to Vienna leaves at noon",
    "Leonie signed the lease of the flat",
]

pytestmark = pytest.mark.parametrize("embedder", ["none", "wordllama"])


def opened(embedder: str, clock: FakeClock | None = None) -> Engine:
    engine = combray.open(":memory:", preset="mnemo", embedder=embedder, clock=clock or FakeClock())
    engine.remember_many([{"content": text, "importance": 1} for text in TEXTS], diff=False)
    return engine


@pytest.mark.parametrize("question", ["who feeds the hamster", "how do volcanoes erupt"])
def test_a_question_without_evidence_has_no_hits(embedder: str, question: str) -> None:
    answer = opened(embedder).recall(question)
    assert list(answer) == []
    assert answer.reason


@pytest.mark.parametrize("question", ["zebra quantum knitting", "asdkjh qwerty"])
def test_words_without_a_sentence_find_nothing_or_weak_evidence(embedder: str, question: str) -> None:
    """In a store of six the vectors of odd words may lie near one: the answer says that it is weak."""
    answer = opened(embedder).recall(question)
    assert not answer or answer.details["weak"]
    assert answer.reason


def test_noise_makes_no_memory_immune(embedder: str) -> None:
    """Issue: "an importance-1 note became immune"."""
    engine = opened(embedder)
    for _ in range(5):
        engine.recall("how do volcanoes erupt")
    engine.remember("A last note on something else")
    assert [each.access_count for each in engine.list(limit=20)] == [0] * 7


@pytest.mark.parametrize(("question", "text"), [("who plays the cello", TEXTS[3]), ("train to Vienna", TEXTS[4])])
def test_a_question_with_evidence_is_answered(embedder: str, question: str, text: str) -> None:
    assert opened(embedder).recall(question)[0].memory.content == text


def test_the_words_of_another_scope_are_no_evidence(embedder: str) -> None:
    engine = opened(embedder)
    engine.remember("Volcanoes erupt under pressure", tags=["scope:user:ann"])
    assert list(engine.recall("how do volcanoes erupt")) == []
    assert len(engine.recall("how do volcanoes erupt", tags=["scope:user:ann"])) == 1
