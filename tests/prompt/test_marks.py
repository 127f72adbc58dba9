"""A prompt never shows an outdated memory as if it held."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

import combray
from combray import Engine

NOW = datetime(2026, 6, 1, 9, tzinfo=UTC)


@pytest.fixture(params=["none", "wordllama"])
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    """An engine whose clock stands at NOW."""
    with combray.open(":memory:", embedder=request.param, worker=False, clock=NOW.timestamp) as opened:
        opened.remember("Ben keeps two goats", occurred_at="2025-01-01")
        yield opened


def pair(engine: Engine) -> tuple[str, str]:
    old = engine.remember("Ana's dentist is Dr Okafor", author="user", occurred_at="2025-09-03").id
    new = engine.remember(
        "Since the clinic closed, Ana goes to Dr Lindqvist", author="user", occurred_at="2026-02-21"
    )
    engine.link(new.id, old, type="may_revise", weight=0.9)
    return old, new.id


def test_a_context_numbers_both_statements_of_a_doubtful_pair(engine: Engine) -> None:
    pair(engine)
    lines = [line for line in engine.context("Who is Ana's dentist?").text.splitlines() if "Dr " in line]
    assert "2025-09-03" in lines[0]
    assert "may be outdated: see [2]" in lines[0]
    assert "2026-02-21" in lines[1]
    assert "later, may replace [1]" in lines[1]


def test_think_gives_both_statements_with_their_dates(engine: Engine) -> None:
    pair(engine)
    answer = engine.think("Who is Ana's dentist?").answer
    assert "Okafor" in answer
    assert "Later, may replace it: " in answer
    assert "Lindqvist" in answer
    assert "2025-09-03" in answer
    assert "2026-02-21" in answer


def test_think_does_not_state_a_superseded_value_as_current(engine: Engine) -> None:
    old = engine.remember("Ana's dentist is Dr Okafor", occurred_at="2025-09-03").id
    engine.remember("Ana's dentist is Dr Lindqvist now", occurred_at="2026-02-21", supersedes=old)
    lines = engine.think("Who is Ana's dentist?").answer.splitlines()
    assert "Lindqvist" in lines[0]
    assert all(line.startswith("Earlier:") for line in lines if "Okafor" in line)


def test_a_context_of_a_question_about_the_past_marks_what_is_outdated(engine: Engine) -> None:
    old = engine.remember("Ana's dentist is Dr Okafor", occurred_at="2025-09-03").id
    engine.remember("Ana's dentist is Dr Lindqvist now", occurred_at="2026-02-21", supersedes=old)
    text = engine.context("Who was Ana's dentist before?").text
    (line,) = [each for each in text.splitlines() if "Okafor" in each]
    assert "outdated: replaced by [" in line


def test_validity_that_lies_elsewhere_is_noted(engine: Engine) -> None:
    engine.remember("The office is at Mole Street", occurred_at="2025-01-01", valid_to="2025-12-31")
    engine.remember("The office will be at Quay Street", occurred_at="2025-01-01", valid_from="2026-09-01")
    text = engine.context("Where is the office?").text
    assert "until 2025-12-31" in text
    assert "from 2026-09-01 on" in text


@pytest.mark.parametrize(
    ("preset", "detail", "mark"),
    [
        ("mnemo", "context", "may be outdated: see a later memory"),
        ("engram", "grouped", "may be outdated: see"),
    ],
)
def test_the_prompts_of_presets_mark_a_doubtful_memory(preset: str, detail: str, mark: str) -> None:
    with combray.open(":memory:", preset=preset, worker=False, clock=NOW.timestamp) as engine:
        pair(engine)
        text = str(dict(engine.recall("Who is Ana's dentist?").details)[detail])
    assert mark in next(line for line in text.splitlines() if "Okafor" in line)


@pytest.mark.parametrize(
    ("said", "question", "meant"),
    [
        ("My dentist appointment is on Tuesday", "When is my dentist appointment?", "Tuesday = 2026-06-02"),
        ("We met the architect last Friday", "When did we meet the architect?", "last Friday = 2026-05-29"),
        ("The choir rehearses on 2026-06-09", "When does the choir rehearse?", ""),
    ],
)
def test_a_relative_day_comes_with_the_date_that_is_meant(
    engine: Engine, said: str, question: str, meant: str
) -> None:
    engine.remember(said)
    (line,) = [line for line in engine.context(question).text.splitlines() if said in line]
    assert (" = " in line, meant in line) == (bool(meant), True)
    as_json = engine.context(question, format="json").text
    assert (f'"days": "{meant}"' in as_json) == bool(meant)
