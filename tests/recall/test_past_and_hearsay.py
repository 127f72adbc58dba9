"""The present, the past and hearsay: which of two statements about one thing leads, by what the question asks.

Expectations follow from the texts. Edges are made by hand, as a write makes them.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

import combray
from combray import Engine
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


def contrast(engine: Engine, hedged: str, present: str, weight: float = 0.3) -> None:
    """Make the edge that a write makes of a pair."""
    engine.link(hedged, present, type="contrasts", weight=weight)


def test_a_question_about_the_past_shows_what_was_before_a_fact(engine: Engine) -> None:
    present = tell(engine, "I live in Graz, near the river", "2025-09-01")
    past = tell(engine, "I lived in Bergen for six years before that", "2025-11-23")
    contrast(engine, past, present)
    assert shown(engine, "Where was my home before Graz?", 2) == [past, present]
    assert shown(engine, "Do I live in Graz?", 1) == [present]


def test_what_a_hedged_first_hit_would_change_stands_before_it(engine: Engine) -> None:
    present = tell(engine, "We're on our third electric Kia by now", "2025-04-05")
    past = tell(engine, "When I was small dad would drive a Lada as our family car", "2025-07-26")
    assert shown(engine, "What car does our family drive?", 1) == [past]
    contrast(engine, past, present)
    assert shown(engine, "What car does our family drive?", 2) == [present, past]


def test_a_first_hit_does_not_yield_to_one_about_somebody_else(engine: Engine) -> None:
    """The question names Ludmila, and so does the first hit."""
    mine = tell(engine, "I play the viola in the Thursday quartet", "2025-04-14")
    hers = tell(engine, "Our cellist Ludmila used to play the harp before the quartet", "2025-12-06")
    contrast(engine, hers, mine)
    assert shown(engine, "What does Ludmila play in the quartet?", 1) == [hers]


def test_a_statement_about_the_past_is_linked_to_what_it_would_change() -> None:
    with combray.open(":memory:", embedder="wordllama", worker=False, clock=NOW.timestamp) as engine:
        for text in ("The printer is on the second floor", "Ben keeps two goats", "Lunch is at noon"):
            engine.remember(text, author="Ben", occurred_at="2025-01-01")
        present = engine.remember("I live in Utrecht, on a houseboat", author="Mira", occurred_at="2025-07-09")
        past = engine.remember("I used to live in Ghent, above a bakery", author="Mira", occurred_at="2025-10-18")
        assert past.may_revise == ()
        linked = engine.related(past.id, type="contrasts", depth=1)
        assert linked[0].memory.id == present.id
        assert not engine.related(past.id, type="may_revise", depth=1)
        assert shown(engine, "Where was Mira before Utrecht?", 1) == [past.id]


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
def test_a_day_that_comes_again_asks_for_the_past_only_by_its_verb(question: str, past: bool) -> None:
    assert SearchContext._lie_behind(question, NOW.timestamp()) is past


def test_what_a_hedged_first_hit_would_change_is_chosen_by_the_topic_of_the_question(engine: Engine) -> None:
    """The likelier of two edges leads to something that the question does not ask for."""
    car = tell(engine, "We're on our third electric Kia by now", "2025-04-05")
    home = tell(engine, "My parents live in a village, they will never leave", "2025-05-05")
    past = tell(engine, "When I was small dad would drive a Lada as our family car", "2025-07-26")
    contrast(engine, past, home, 0.4)
    contrast(engine, past, car, 0.1)
    assert shown(engine, "What car does our family drive?", 2) == [car, past]
