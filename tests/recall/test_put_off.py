"""Recall leads with what says outright that a plan or an event is put off.

The expectations follow from what the caller said: edges are made by hand.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

import combray
from combray import Engine

NOW = datetime(2026, 6, 1, 9, tzinfo=UTC)


@pytest.fixture(params=("none", "wordllama"))
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    """An engine whose clock stands at NOW."""
    with combray.open(":memory:", embedder=request.param, worker=False, clock=NOW.timestamp) as opened:
        for text in ("The printer is on the second floor", "Ben keeps two goats", "Lunch is at noon"):
            opened.remember(text, occurred_at="2025-01-01")
        yield opened


def tell(engine: Engine, text: str, on: str, *, diff: bool = False) -> str:
    """Remember a text told on a day; its id. With `diff` it is compared with what is stored, as by default."""
    return engine.remember(text, author="user", occurred_at=on, diff=diff).id


def shown(engine: Engine, question: str, count: int = 3) -> list[str]:
    """Ids of the first hits."""
    return [hit.memory.id for hit in engine.recall(question, limit=10)[:count]]


def test_a_text_that_puts_nothing_off_stands_behind_the_event(engine: Engine) -> None:
    old = tell(engine, "The parents' evening is on 18 June", "2026-05-03")
    new = tell(engine, "The parents' evening stays in the gym, please bring chairs", "2026-05-13")
    engine.link(new, old, type="may_revise", weight=0.6)
    assert shown(engine, "On which day is the parents' evening?")[0] == old


def test_what_repeats_is_led_by_nothing_before_the_new_day(engine: Engine) -> None:
    """A meeting of every Tuesday goes on until the day from which it is another."""
    old = tell(engine, "The sprint meeting is on Tuesdays", "2026-01-10")
    new = tell(engine, "The sprint meeting is moved to Thursdays from 1 December 2026 on", "2026-05-13")
    engine.link(new, old, type="may_revise", weight=0.6)
    assert shown(engine, "On which day is the sprint meeting?")[0] == old


def test_a_put_off_of_another_thing_leaves_the_plan_in_front(engine: Engine) -> None:
    """The edge to the plan is below the bound from which a text puts a plan off."""
    tell(engine, "The front desk is open until 18:00", "2026-01-10", diff=True)
    plan = tell(engine, "From 1 April the front desk will be open until 20:00", "2026-03-20", diff=True)
    audit = tell(engine, "The audit of the warehouse is on 20 July", "2026-03-10")
    slip = tell(engine, "The audit of the warehouse is put off to 28 July", "2026-03-28")
    for edge in engine.reader.edges(("may_revise",)):
        if edge.source == slip:
            engine.settle(edge.source, edge.target, "both")
    engine.link(slip, audit, type="may_revise", weight=0.7)
    engine.link(slip, plan, type="may_revise", weight=0.05)
    assert shown(engine, "Until when is the front desk open?")[0] == plan


def test_a_plan_marks_an_event_that_may_lie_ahead(engine: Engine) -> None:
    old = tell(engine, "The parents' evening is on 18 June", "2026-05-03")
    plan = tell(engine, "The parents' evening will be on 25 June", "2026-05-13")
    engine.link(plan, old, type="may_revise", weight=0.6)
    hit = next(hit for hit in engine.recall("On which day is the parents' evening?") if hit.memory.id == old)
    assert hit.may_be_outdated_by == plan


def test_a_plan_is_cancelled_by_a_text_that_mostly_repeats_what_goes_on(engine: Engine) -> None:
    """The text resembles what holds most, and that has no day which could be put off."""
    now = tell(engine, "The team lead is Odile.", "2026-01-05")
    plan = tell(engine, "From 1 April the team lead is Bastian.", "2026-01-09")
    off = tell(engine, "Bastian's start as team lead is cancelled, Odile stays.", "2026-02-20")
    engine.link(off, now, type="may_revise", weight=0.85)
    engine.link(off, plan, type="may_revise", weight=0.15)
    assert shown(engine, "Who is the team lead?", 1) != [plan]


def test_a_due_plan_about_what_the_question_finds_leads(engine: Engine) -> None:
    """The texts have no topic in common, but both are about Biscuit, and the question finds both."""
    old = tell(engine, "Biscuit, my aunt's spaniel, lives with my aunt in Dunmere", "2026-01-14")
    plan = tell(engine, "Biscuit comes to us for good on 6 April", "2026-03-23")
    engine.link(plan, old, type="may_revise", weight=0.05)
    assert shown(engine, "Who has the spaniel Biscuit?", 2) == [plan, old]


def test_what_named_a_day_ahead_leads_when_the_day_has_come(engine: Engine) -> None:
    """The day makes it a plan; the edge says what it may change."""
    old = tell(engine, "Yonas drives night trucks for Kestrel Freight", "2026-01-14")
    new = tell(engine, "Yonas passed! The railway has him in the Orrin box on 4 May, day shifts", "2026-03-23")
    engine.link(new, old, type="may_revise", weight=0.2)
    assert shown(engine, "What does Yonas drive?", 2) == [new, old]


def test_before_that_day_it_does_not(engine: Engine) -> None:
    old = tell(engine, "Yonas drives night trucks for Kestrel Freight", "2026-01-14")
    new = tell(engine, "Yonas passed! The railway has him in the Orrin box on 4 July, day shifts", "2026-03-23")
    engine.link(new, old, type="may_revise", weight=0.2)
    assert shown(engine, "What does Yonas drive?", 1) == [old]


@pytest.mark.parametrize("weight", [0.5, 0.2])
def test_a_month_that_has_come_counts_too(engine: Engine, weight: float) -> None:
    old = tell(engine, "Yonas drives night trucks for Kestrel Freight", "2026-01-14")
    new = tell(engine, "Yonas passed! The railway has him in the Orrin box in April, day shifts", "2026-02-10")
    engine.link(new, old, type="may_revise", weight=weight)
    assert shown(engine, "What does Yonas drive?", 2) == [new, old]
