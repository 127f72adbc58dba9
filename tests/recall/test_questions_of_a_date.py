"""A question that names a time and no topic is answered by the memories of that time."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

import combray
from combray.engine import Engine

_NOW = datetime(2026, 11, 27, 12, tzinfo=UTC).timestamp()
_MEMORIES = (
    ("Quarterly numbers were good.", "2026-08-10"),
    ("We hired Mira for the data team.", "2026-10-05"),
    ("Flat viewing in Porto.", "2026-10-20"),
    ("The office lease was signed.", "2026-11-03"),
    ("Standup notes: ship on Monday.", "2026-11-25T09:15"),
    ("Dinner with Jo at the harbour.", "2026-11-26T18:30"),
)


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with combray.open(":memory:", embedder="wordllama", clock=lambda: _NOW) as opened:
        for text, when in _MEMORIES:
            opened.remember(text, occurred_at=when)
        yield opened


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What happened on 5 October?", "Mira"),
        ("What happened in the first two weeks of October?", "Mira"),
        ("What was done in the first half of October?", "Mira"),
        ("What did I do last night between 6 and 8 pm?", "harbour"),
        ("昨晚6点到8点做了什么", "harbour"),
        ("十月的前两周发生了什么？", "Mira"),
        ("Chuyện gì xảy ra ngày 20 tháng 10?", "Porto"),
        ("Was geschah am 3. November?", "lease"),
        ("Qu'est-ce qui s'est passé le 3 novembre ?", "lease"),
        ("¿Qué pasó el 3 de noviembre?", "lease"),
        ("O que aconteceu em 20 de outubro?", "Porto"),
        ("10月20日に何があった？", "Porto"),
        ("10월 20일에 무슨 일이 있었어?", "Porto"),
    ],
)
def test_the_first_hit_is_of_that_time(engine: Engine, question: str, answer: str) -> None:
    assert answer in engine.recall(question).hits[0].memory.content


@pytest.mark.parametrize(
    "question", ["What did the dentist say on 5 October?", "Wo war der Zahnarzt am 3. November?"]
)
def test_a_topic_that_no_memory_has_is_not_answered_by_the_day_alone(engine: Engine, question: str) -> None:
    assert not engine.recall(question).hits
