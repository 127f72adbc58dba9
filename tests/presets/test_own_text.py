"""The exact text of a stored memory brings that memory, also if it is a question that nothing answers."""

from __future__ import annotations

import pytest

import combray
from combray import presets


@pytest.mark.parametrize("preset", presets.names())
@pytest.mark.parametrize("embedder", ["none", "wordllama"])
@pytest.mark.parametrize("text", ["Wann fährt der Bus?", "What colour is the new sofa?", "How old is Ben?"])
def test_a_stored_question_is_found_by_its_own_text(preset: str, embedder: str, text: str) -> None:
    with combray.open(":memory:", preset=preset, embedder=embedder, worker=False) as engine:
        engine.remember_many([f"Row {number} of the garden has beans." for number in range(60)], diff=False)
        own = engine.remember(text, diff=False).id
        answer = engine.recall(text)
    assert own in [hit.memory.id for hit in answer], answer.reason
