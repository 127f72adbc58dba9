from __future__ import annotations

import pytest

from combray.language.intent import Intent, detect


@pytest.mark.parametrize(
    ("query", "intent"),
    [
        ("Why did we choose Qdrant?", "WHY"),
        ("the reason for the cause", "WHY"),
        ("When did we meet?", "WHEN"),
        ("timeline before the launch", "WHEN"),
        ("What is MCP?", "ENTITY"),
        ("tell me about Alice", "ENTITY"),
        ("favourite food", "GENERAL"),
        ("为什么选择这个", "WHY"),
        ("什么时候开会", "WHEN"),
        ("MCP是什么", "ENTITY"),
        ("Tại sao chọn Qdrant?", "WHY"),
        ("tai sao chon Qdrant", "WHY"),
        ("Khi nào họp?", "WHEN"),
        ("khi nao hop", "WHEN"),
        ("Qdrant là gì", "ENTITY"),
        ("qdrant la gi", "ENTITY"),
    ],
)
def test_intent(query: str, intent: str) -> None:
    assert detect(query) is Intent(intent)


def test_only_whole_words_count() -> None:
    assert detect("sometimes the dated whynot becauseway") is Intent.GENERAL


def test_why_and_when_need_a_strict_win() -> None:
    assert detect("why and when") is Intent.GENERAL, "1 : 1, and no entity phrase"
    assert detect("what is the reason") is Intent.WHY, "1 : 1: the entity phrase only opens the question"
    assert detect("what is the cause of the outage") is Intent.WHY
    assert detect("why did we leave MySQL before the launch") is Intent.WHY
    assert detect("what is before the launch") is Intent.ENTITY
    assert detect("what is the reason and the cause") is Intent.WHY, "2 : 1"
