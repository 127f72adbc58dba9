"""A question that asks for a day and nothing else: the memories of that day, or an empty answer that says so."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

import combray
from combray import Engine, presets
from combray.testing.fakes import FakeClock

NOW = datetime(2026, 3, 8, 12, tzinfo=UTC)
DAYS_AGO = {
    "Ana repaired the bicycle": 2,
    "We had dinner at the harbour": 5,
    "The plumber fixed the sink": 17,
    "Tom started at the new school": 20,
    "Bought a blue kettle": 30,
    "Clara keeps bees": 60,
}


@pytest.fixture(params=["wordllama", "none"])
def engine(request: pytest.FixtureRequest) -> Engine:
    made = combray.open(":memory:", embedder=request.param, clock=FakeClock(NOW.timestamp()), worker=False)
    for text, days in DAYS_AGO.items():
        made.remember(text, occurred_at=NOW - timedelta(days=days), diff=False)
    made.remember("On February 11 the roof was inspected", diff=False)
    return made


def texts(engine: Engine, query: str) -> list[str]:
    return [hit.memory.content for hit in engine.recall(query)]


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("what happened 17 days ago", ["The plumber fixed the sink"]),
        ("2026-02-19", ["The plumber fixed the sink"]),
        ("前天发生了什么", ["Ana repaired the bicycle"]),
        ("what happened on February 11?", ["On February 11 the roof was inspected"]),
        ("what happened in January?", ["Clara keeps bees"]),
        ("what did we do between February 18 and February 20?", ["The plumber fixed the sink"]),
    ],
)
def test_the_memories_of_the_day_and_no_other(engine: Engine, question: str, found: list[str]) -> None:
    assert texts(engine, question) == found


@pytest.mark.parametrize(
    "question", ["what happened 18 days ago", "what did we do yesterday?", "what was I doing on 2026-02-18"]
)
def test_a_day_of_which_nobody_wrote_is_empty_and_says_so(engine: Engine, question: str) -> None:
    answer = engine.recall(question)
    assert not answer.hits
    assert answer.reason.startswith("nothing is dated ")
    assert "2026-0" in answer.reason


def test_all_of_a_month_in_spite_of_different_scores(engine: Engine) -> None:
    february = [text for text, days in DAYS_AGO.items() if days in (17, 20, 30)]
    assert sorted(texts(engine, "what happened last month")) == sorted(
        [*february, "On February 11 the roof was inspected"]
    )


def test_with_a_topic_the_day_stays_a_signal(engine: Engine) -> None:
    """The bicycle was repaired on another day, which the hit says."""
    assert texts(engine, "who repaired the bicycle 18 days ago")[0] == "Ana repaired the bicycle"


def test_today_and_days_ahead_are_no_filter(engine: Engine) -> None:
    engine.remember("My dentist appointment is on Tuesday at nine", diff=False)
    engine.runtime.clock.now += 2 * 86400  # type: ignore[attr-defined]
    assert "nothing is dated" not in engine.recall("what is today?").reason
    assert "nothing is dated" not in engine.recall("what happens tomorrow?").reason
    # The next 20 February as well as the last one; a question in the past means the last one.
    assert "nothing is dated" not in engine.recall("what is on February 20?").reason
    assert "nothing is dated" in engine.recall("what happened on February 20?").reason


def test_a_memory_that_is_a_date_finds_itself(engine: Engine) -> None:
    engine.remember("2026-02-18", diff=False)
    assert texts(engine, "2026-02-18") == ["2026-02-18"]


def test_what_was_said_then_and_is_outdated_is_shown_and_marked(engine: Engine) -> None:
    engine.remember("I live in Leipzig", occurred_at=NOW - timedelta(days=40), diff=False)
    (old,) = engine.recall("what happened 40 days ago?")
    new = engine.remember("I live in Berlin now", supersedes=old.memory.id)
    (hit,) = engine.recall("what happened 40 days ago?")
    assert (hit.memory.content, hit.outdated_by) == ("I live in Leipzig", new.id)


@pytest.mark.parametrize("embedder", ["wordllama", "none"])
@pytest.mark.parametrize("preset", presets.names())
def test_in_every_preset(preset: str, embedder: str) -> None:
    made = combray.open(
        ":memory:", preset=preset, embedder=embedder, clock=FakeClock(NOW.timestamp()), worker=False
    )
    for text, days in DAYS_AGO.items():
        made.remember(text, occurred_at=NOW - timedelta(days=days), diff=False)
    if made.vectors.pending():
        made.vectors.make()
    assert texts(made, "what happened 17 days ago") == ["The plumber fixed the sink"]
    answer = made.recall("what happened 18 days ago")
    assert not answer.hits
    assert answer.reason.startswith("nothing is dated 18 days ago (2026-02-18)")


@pytest.mark.parametrize("embedder", ["wordllama", "none"])
def test_preset_mnemo_finds_a_form_of_the_day_of_whatever_year(embedder: str) -> None:
    made = combray.open(
        ":memory:", preset="mnemo", embedder=embedder, clock=FakeClock(NOW.timestamp()), worker=False
    )
    made.remember_many(["Call Ben on 2/15", "Order 2/150 arrived"], diff=False)
    assert texts(made, "what happened on February 15?") == ["Call Ben on 2/15"]
