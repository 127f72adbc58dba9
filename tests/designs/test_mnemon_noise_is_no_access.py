"""Flaw of preset mnemon: "noise hits are no accesses (an importance-1 note became immune)"."""

from __future__ import annotations

import pytest
from exact import opened, status_of

from combray import Engine

NOTE = "The office plants are watered on Fridays"
OTHERS = ("Tom repairs old radios in his garage", "Marta Klein leads the billing team", "Clara keeps bees")
NOISE = (
    "zebra quantum knitting",
    "asdkjh qwerty",
    "how tall is the Eiffel Tower",
    "which vaccine did the dog get",
)


def _filled(embedder: str, monkeypatch: pytest.MonkeyPatch) -> tuple[Engine, str]:
    """A full store whose least important memory is an importance-1 note."""
    monkeypatch.setenv("COMBRAY_MAX_MEMORIES", "4")
    engine = opened(embedder=embedder)
    note = engine.remember(NOTE, importance=1).id
    engine.remember_many([{"content": text, "importance": 3} for text in OTHERS])
    return engine, note


def _accesses(engine: Engine, memory_id: str) -> float:
    """Accesses are stored with the next write."""
    engine.remember("Lunch is at noon", importance=3, diff=False)
    return engine.get(memory_id).access_count


@pytest.mark.parametrize("embedder", ["none", "wordllama"])
@pytest.mark.parametrize("intent", [None, "WHY", "WHEN", "ENTITY"])
def test_unanswered_questions_do_not_save_a_note_from_pruning(
    embedder: str, intent: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Notes 2.2: "Immune: importance >= 4 or access >= 3"; five rounds of noise are no access."""
    engine, note = _filled(embedder, monkeypatch)
    for _ in range(5):
        for question in NOISE:
            assert list(engine.recall(question, intent=intent)) == []
    assert _accesses(engine, note) == 0
    assert status_of(engine, note) == "forgotten"


@pytest.mark.parametrize("embedder", ["none", "wordllama"])
def test_questions_about_other_memories_are_no_accesses_of_the_note(
    embedder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An answered question counts for its hits only, though edges of time join all four."""
    engine, note = _filled(embedder, monkeypatch)
    for _ in range(5):
        hits = [hit.memory.content for hit in engine.recall("radios in the garage", limit=1)]
        assert hits == [OTHERS[0]]
    assert _accesses(engine, note) == 0
    assert status_of(engine, note) == "forgotten"


@pytest.mark.parametrize("embedder", ["none", "wordllama"])
def test_answered_questions_do_save_it(embedder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    engine, note = _filled(embedder, monkeypatch)
    for _ in range(3):
        assert engine.recall("when are the office plants watered")[0].memory.id == note
    assert _accesses(engine, note) >= 3
    assert status_of(engine, note) == "active"
