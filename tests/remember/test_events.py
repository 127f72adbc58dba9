"""When something happened, read from the words: `occurred_at` without the caller, beside when it was said."""

from __future__ import annotations

import io
from dataclasses import replace
from datetime import UTC, datetime

import pytest

import combray
from combray import Engine, presets
from combray.testing.fakes import FakeClock
from combray.testing.reference import ReferenceStore

SAID = datetime(2026, 3, 10, 15, 30, tzinfo=UTC)
DENTIST = "I saw the dentist three days ago"

each_store = pytest.mark.parametrize("store", ["sqlite", "reference"])
each_embedder = pytest.mark.parametrize("embedder", ["none", "wordllama"])


def opened(embedder: str = "none", preset: str = "default", store: str = "sqlite") -> tuple[Engine, FakeClock]:
    clock = FakeClock(SAID.timestamp())
    engine = combray.open(":memory:", preset=preset, embedder=embedder, clock=clock, worker=False)
    if store == "reference":
        return Engine(replace(engine.runtime, store=ReferenceStore()), "default", presets.load(preset)), clock
    return engine, clock


def day(text: str) -> datetime:
    return datetime.fromisoformat(f"{text}T00:00+00:00")


@each_embedder
@pytest.mark.parametrize("preset", presets.names())
def test_three_days_ago_is_that_day_and_was_said_today(preset: str, embedder: str) -> None:
    engine, _ = opened(embedder, preset)
    memory = engine.get(engine.remember(DENTIST).id)
    assert (memory.occurred_from, memory.occurred_to) == (day("2026-03-07"), day("2026-03-08"))
    assert memory.said_at == memory.recorded_at == memory.moment == SAID


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        # Today is Tuesday, 10 March 2026.
        ("Yesterday we shipped version 2", "2026-03-09", "2026-03-10"),
        ("We met Ana last week", "2026-03-02", "2026-03-09"),
        ("I moved to Berlin two weeks ago", "2026-02-23", "2026-03-02"),
        ("The outage happened on 5 March", "2026-03-05", "2026-03-06"),
        ("I went to Porto in 2019", "2019-01-01", "2020-01-01"),
        ("We shipped on Monday", "2026-03-09", "2026-03-10"),
        ("On 3 May 2025 we signed the contract", "2025-05-03", "2025-05-04"),
        ("tôi đã gặp nha sĩ ba ngày trước", "2026-03-07", "2026-03-08"),
        ("三天前我看了牙医", "2026-03-07", "2026-03-08"),
    ],
)
def test_words_of_the_past(text: str, since: str, until: str) -> None:
    engine, _ = opened()
    memory = engine.get(engine.remember(text).id)
    assert (memory.occurred_from, memory.occurred_to) == (day(since), day(until))


@pytest.mark.parametrize(
    "text",
    [
        "I see the dentist on Friday",
        "I will see the dentist in three days",
        "My appointment is on Tuesday",
        "The meeting is tomorrow",
        "We shipped on Monday and fixed it on Tuesday",
        "Recently I moved to Berlin",
        "We have used Python since 2019",
        "I run on Mondays",
        "Today I fixed the bug",
        "I ate at 8 pm",
        "Someone said yesterday that it rains",
        "Did I see the dentist three days ago?",
        "The dentist is nice",
    ],
)
def test_a_date_ahead_a_vague_one_and_several_say_nothing(text: str) -> None:
    engine, _ = opened()
    memory = engine.get(engine.remember(text).id)
    assert (memory.occurred_from, memory.occurred_to, memory.said_at) == (None, None, None)


@each_store
@each_embedder
def test_a_date_filter_finds_it_by_both_times(store: str, embedder: str) -> None:
    engine, _ = opened(embedder, store=store)
    engine.remember(DENTIST)
    for since, until, found in (
        ("2026-03-07", "2026-03-08", 1),
        ("2026-03-10", "2026-03-11", 1),
        ("2026-03-08", "2026-03-10", 0),
        ("2026-03-01", "2026-03-07", 0),
    ):
        assert len(engine.recall("dentist", since=since, until=until)) == found, (since, until)
    assert len(engine.recall("dentist", until="2026-03-08")) == 1
    assert len(engine.recall("dentist", since="2026-03-11")) == 0
    assert engine.list({"occurred_at": {"lt": "2026-03-08"}}).total == 1


@each_embedder
def test_a_question_about_the_day_finds_it(embedder: str) -> None:
    engine, clock = opened(embedder, "engram")
    engine.remember(DENTIST)
    engine.remember("The plants are watered on Mondays")
    clock.pass_(days=30)
    assert [hit.memory.content for hit in engine.recall("What happened on 7 March 2026?")] == [DENTIST]


@each_store
def test_recency_and_the_order_of_turns_go_by_when_it_was_said(store: str) -> None:
    engine, clock = opened(store=store)
    talk = engine.conversation("s")
    talk.add("Hello there, how are you doing?", author="Bo")
    clock.pass_(hours=1)
    last = talk.add(DENTIST, author="Ana")
    assert last.occurred_from == day("2026-03-07")
    assert [each.content for each in talk._recent()][-1] == DENTIST
    assert engine.list(order="-moment")[0].content == DENTIST
    # "Three days ago" still counts from when it was said.
    assert last.moment == last.recorded_at


def test_what_the_caller_says_wins() -> None:
    engine, _ = opened()
    made = engine.remember(DENTIST, occurred_at="2026-01-05")
    memory = engine.get(made.id)
    assert (memory.occurred_from, memory.said_at) == (day("2026-01-05"), None)
    changed = engine.update(engine.remember("We met Ana last week").id, occurred_at="2026-03-04")
    assert (changed.occurred_from, changed.said_at, changed.moment) == (
        day("2026-03-04"),
        None,
        day("2026-03-04"),
    )


def test_a_changed_text_is_read_again_and_a_change_is_undone() -> None:
    engine, _ = opened()
    made = engine.remember(DENTIST).id
    changed = engine.update(made, content="I saw the dentist yesterday")
    assert (changed.occurred_from, changed.said_at) == (day("2026-03-09"), SAID)
    plain = engine.update(made, content="The dentist is nice")
    assert (plain.occurred_from, plain.occurred_to, plain.said_at) == (None, None, None)
    assert engine.restore(made, version=1).occurred_from == day("2026-03-07")
    assert all(each.ok for each in engine.store.doctor())


def test_the_same_words_on_another_day_are_another_event() -> None:
    engine, clock = opened()
    assert engine.remember(DENTIST).action == "added"
    assert engine.remember(DENTIST).action == "skipped"
    clock.pass_(days=20)
    assert engine.remember(DENTIST).action == "added"


def test_an_export_keeps_both_times() -> None:
    first, _ = opened()
    second, _ = opened()
    made = first.remember(DENTIST).id
    written = io.StringIO()
    first.store.export_to(written)
    second.store.import_from(written.getvalue().splitlines(), dry_run=False, trusted=True)
    assert second.get(made) == first.get(made)
