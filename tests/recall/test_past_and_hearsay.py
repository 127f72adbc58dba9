"""The present, the past and hearsay: which of two statements about one thing leads, by what the question asks.

Expectations follow from the texts.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

import combray
from combray import Engine
from combray.forms.recalling import Recalling
from combray.recall.search import SearchContext

NOW = datetime(2026, 6, 1, 9, tzinfo=UTC)


@pytest.fixture(params=("none", "wordllama"))
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    """An engine whose clock stands at NOW."""
    with combray.open(":memory:", embedder=request.param, worker=False, clock=NOW.timestamp) as opened:
        for text in ("The printer is on the second floor", "Ben keeps two goats", "Lunch is at noon"):
            opened.remember(text, occurred_at="2025-01-01")
        yield opened


def tell(engine: Engine, text: str, on: str) -> str:
    """Remember a text told on a day; its id."""
    return engine.remember(text, author="user", occurred_at=on, diff=False).id


def shown(engine: Engine, question: str, count: int) -> list[str]:
    """Ids of the first hits."""
    return [hit.memory.id for hit in engine.recall(question, limit=10)[:count]]


def test_a_question_about_the_past_shows_what_was_and_what_is(engine: Engine) -> None:
    present = tell(engine, "I live in Graz, near the river", "2025-09-01")
    past = tell(engine, "I used to live in Bergen, near the harbour", "2025-11-23")
    assert {*shown(engine, "Where did I live before?", 2)} == {past, present}
    assert shown(engine, "Where do I live?", 2) == [present, past]


def test_a_first_hit_does_not_yield_to_one_about_somebody_else(engine: Engine) -> None:
    """The question names Ludmila, and so does the first hit."""
    tell(engine, "I play the viola in the Thursday quartet", "2025-04-14")
    hers = tell(engine, "Our cellist Ludmila used to play the harp before the quartet", "2025-12-06")
    assert shown(engine, "What does Ludmila play in the quartet?", 1) == [hers]


def test_a_statement_about_the_past_changes_nothing() -> None:
    with combray.open(":memory:", embedder="wordllama", worker=False, clock=NOW.timestamp) as engine:
        for text in ("The printer is on the second floor", "Ben keeps two goats", "Lunch is at noon"):
            engine.remember(text, author="Ben", occurred_at="2025-01-01")
        engine.remember("I live in Utrecht, on a houseboat", author="Mira", occurred_at="2025-07-09")
        past = engine.remember("I used to live in Ghent, above a bakery", author="Mira", occurred_at="2025-10-18")
        assert past.may_revise == ()
        assert not engine.related(past.id, type="may_revise", depth=1)


def test_what_lasts_until_a_day_ahead_is_no_plan(engine: Engine) -> None:
    lasting = tell(engine, "Jay stays in the flat on Mill Road until the end of next year", "2026-03-20")
    tell(engine, "I live in the flat on Mill Road, ten minutes from work", "2026-02-03")
    assert shown(engine, "Until when does Jay stay in the flat?", 1) == [lasting]


@pytest.mark.parametrize(
    ("question", "past"),
    [
        # Every Sunday, and so the next one.
        ("What time does the alarm ring on a Sunday?", False),
        ("星期天闹钟几点响?", False),
        ("When did the alarm ring on Sunday?", True),
        ("What time does the alarm ring in 2030?", False),
        ("What did the alarm do in 2019?", True),
        ("What happened yesterday?", True),
    ],
)
def test_a_day_that_comes_again_asks_for_the_past_only_by_its_verb(
    engine: Engine, question: str, past: bool
) -> None:
    state = Recalling(question, engine.namespace, engine.reader, NOW.timestamp())
    assert SearchContext()(state, engine.runtime).times.past is past


def test_what_was_corrected_was_never_so_and_answers_no_question_about_the_past(engine: Engine) -> None:
    old = tell(engine, "I live in Leipzig.", "2025-09-03")
    new = tell(engine, "I live in Porto.", "2026-02-11")
    engine.settle(new, old, "supersedes")
    assert old in shown(engine, "Where did I live before?", 3)
    engine.settle(new, old, "corrects")
    assert old not in shown(engine, "Where did I live before?", 3)
    both = engine.recall("Where do I live?", statuses=["active", "superseded"])
    assert {hit.memory.id: hit.outdated_by for hit in both}[old] == new
