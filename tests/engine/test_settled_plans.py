"""Plans that were settled: what they replace holds until they come due, also if they are put off or dropped.

Expectations follow from the days that the texts name and from the verdicts.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

import combray
from combray import Engine
from combray.testing.fakes import FakeClock

QUESTION = "Who runs the data team?"
NOW = "Ines runs the data team."
PLAN = "Kofi takes over the data team on 2 March."
SLIP = "Kofi's start with the data team slips to 4 May."
OFF = "The handover of the data team to Kofi is cancelled."


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(datetime(2026, 1, 1, tzinfo=UTC).timestamp())


@pytest.fixture(params=["none", "wordllama"])
def engine(request: pytest.FixtureRequest, clock: FakeClock) -> Iterator[Engine]:
    with combray.open(":memory:", embedder=request.param, worker=False, clock=clock) as opened:
        for text in ("My cousin Ravi plays the oud.", "We have two cats, Miso and Tofu."):
            opened.remember(text, author="user")
        yield opened


def tell(engine: Engine, clock: FakeClock, day: str, text: str, replaced: str = "", how: str = "settle") -> str:
    """Remember a text of that day, which supersedes `replaced`; its id."""
    clock.go_to(day)
    if how == "remember" and replaced:
        return engine.remember(text, author="user", supersedes=replaced).id
    new = engine.remember(text, author="user", diff=False).id
    if replaced:
        engine.settle(new, replaced, "supersedes")
    return new


def first(engine: Engine, clock: FakeClock, day: str, **options: str) -> str:
    clock.go_to(day)
    return engine.recall(QUESTION, **options)[0].memory.id  # type: ignore[arg-type]


@pytest.mark.parametrize("how", ["settle", "remember"])
def test_a_settled_plan_that_slips(engine: Engine, clock: FakeClock, how: str) -> None:
    now = tell(engine, clock, "2026-01-05", NOW)
    plan = tell(engine, clock, "2026-01-09", PLAN, now, how)
    assert [first(engine, clock, day) for day in ("2026-01-20", "2026-03-05")] == [now, plan]
    slip = tell(engine, clock, "2026-02-20", SLIP, plan, how)
    days = ("2026-02-25", "2026-03-05", "2026-05-05")
    assert [first(engine, clock, day) for day in days] == [now, now, slip]
    assert first(engine, clock, "2026-06-01", as_of="2026-03-10") == now
    clock.go_to("2026-02-26")
    assert engine.settle(slip, plan, "open").undone == "supersedes"
    assert [first(engine, clock, day) for day in ("2026-01-20", "2026-03-05")] == [now, plan]


@pytest.mark.parametrize("how", ["settle", "remember"])
def test_a_settled_plan_that_is_dropped(engine: Engine, clock: FakeClock, how: str) -> None:
    now = tell(engine, clock, "2026-01-05", NOW)
    plan = tell(engine, clock, "2026-01-09", PLAN, now, how)
    slip = tell(engine, clock, "2026-02-20", SLIP, plan, how)
    off = tell(engine, clock, "2026-04-20", OFF, slip, how)
    for day in ("2026-04-25", "2026-05-05", "2027-01-01"):
        clock.go_to(day)
        held = {hit.memory.id: hit.outdated_by for hit in engine.recall(QUESTION)}
        assert (now in held, held.get(now)) == (True, None)
        assert not {plan, slip} & held.keys()
    clock.go_to("2026-04-21")
    engine.settle(off, slip, "open")
    assert [first(engine, clock, day) for day in ("2026-04-22", "2026-05-05")] == [now, slip]


def test_a_settled_plan_that_is_forgotten_before_its_day_and_restored(engine: Engine, clock: FakeClock) -> None:
    now = tell(engine, clock, "2026-01-05", NOW)
    plan = tell(engine, clock, "2026-01-09", PLAN, now)
    clock.go_to("2026-01-20")
    engine.forget(plan)
    assert [first(engine, clock, day) for day in ("2026-01-21", "2026-03-05")] == [now, now]
    clock.go_to("2026-01-22")
    engine.restore(plan)
    assert [first(engine, clock, day) for day in ("2026-01-23", "2026-03-05")] == [now, plan]


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_slip_that_is_said_to_replace_plan_and_present(
    engine: Engine, clock: FakeClock, order: tuple[int, int]
) -> None:
    now = tell(engine, clock, "2026-01-05", NOW)
    plan = tell(engine, clock, "2026-01-09", PLAN, now)
    slip = tell(engine, clock, "2026-02-20", SLIP)
    for at in order:
        engine.settle(slip, (plan, now)[at], "supersedes")
    days = ("2026-02-25", "2026-03-05", "2026-05-05")
    assert [first(engine, clock, day) for day in days] == [now, now, slip]
    clock.go_to("2026-02-26")
    for at in reversed(order):
        engine.settle(slip, (plan, now)[at], "open")
    assert [first(engine, clock, day) for day in ("2026-02-27", "2026-03-05")] == [now, plan]


def test_a_plan_without_a_day_of_the_calendar_slips_at_once_too(engine: Engine, clock: FakeClock) -> None:
    now = tell(engine, clock, "2026-01-05", NOW)
    plan = tell(engine, clock, "2026-01-09", "Kofi takes over the data team in March.", now)
    slip = tell(engine, clock, "2026-02-20", SLIP, plan)
    assert engine.get(plan).status == "superseded"
    assert [first(engine, clock, day) for day in ("2026-03-05", "2026-05-05")] == [now, slip]


def test_a_settled_plan_that_is_not_due_does_not_lead(engine: Engine, clock: FakeClock) -> None:
    now = tell(engine, clock, "2026-01-05", "Ana lives in Bergamo.")
    plan = tell(engine, clock, "2026-01-09", "Ana moves to Como on 1 May.", now)
    clock.go_to("2026-02-01")
    hits = [hit.memory.id for hit in engine.recall("Where does Ana live?")]
    assert hits[0] == now
    clock.go_to("2026-05-02")
    hits = [hit.memory.id for hit in engine.recall("Where does Ana live?")]
    assert (hits[0], now in hits) == (plan, False)
