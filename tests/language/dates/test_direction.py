"""The direction of a weekday in a statement that was said on Sunday 18 May 2025."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest

import combray
from combray.language.dates import resolve
from combray.language.dates.statements import dated, days_named, resolve_stated

SUNDAY = datetime(2025, 5, 18, 12, tzinfo=UTC)
NEXT, LAST = date(2025, 5, 20), date(2025, 5, 13)


@pytest.mark.parametrize(
    "text",
    [
        "My appointment is Tuesday.",
        "I'm seeing the dentist on Tuesday.",
        "We have a call on Tuesday at 3 pm.",
        "The plumber comes on Tuesday.",
        "The lecture on Tuesday is cancelled.",
        "The meeting was moved to Tuesday.",
        "I booked the vet for Tuesday.",
        "We will meet on Tuesday.",
        "周二我有个会。",
        "会议改到周二了。",
        "Lịch hẹn của tôi là thứ Ba.",
        "Thứ Ba tôi sẽ đi khám răng.",
        "Cuộc họp được dời sang thứ Ba.",
        "Ich habe am Dienstag Zahnarzt.",
        "Was steht am Dienstag an?",
    ],
)
def test_what_is_arranged_lies_ahead(text: str) -> None:
    assert [each.start.date() for each in resolve_stated(text, SUNDAY)] == [NEXT]


@pytest.mark.parametrize(
    "text",
    [
        "I saw her Tuesday.",
        "The release shipped on Tuesday.",
        "She has arrived on Tuesday.",
        "I was in Oslo on Tuesday.",
        "I got the parcel on Tuesday.",
        "我周二见到她了。",
        "Tôi đã gặp cô ấy hôm thứ Ba.",
        "Wir sind am Dienstag nach Ulm gefahren.",
        "Am Dienstag waren wir im Kino.",
        "Was war am Dienstag?",
        "Was hat er am Dienstag gesagt?",
        "Was it on Tuesday?",
    ],
)
def test_what_happened_lies_behind(text: str) -> None:
    assert [each.start.date() for each in resolve_stated(text, SUNDAY)] == [LAST]


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("I bought a gift on Tuesday, the party is on Friday.", [LAST, date(2025, 5, 23)]),
        ("The photos from Tuesday are great.", [LAST]),
        ("Dinner with Ana on Tuesday.", [LAST]),
        ("The deadline is 3 June.", [date(2025, 6, 3)]),
        ("The deadline is 3 June 2024.", [date(2024, 6, 3)]),
    ],
)
def test_each_clause_has_its_own_direction(text: str, start: list[date]) -> None:
    assert [each.start.date() for each in resolve_stated(text, SUNDAY)] == start


def test_a_question_looks_back() -> None:
    assert [each.start.date() for each in resolve("What is on Tuesday", SUNDAY)] == [LAST]


def test_facts_and_answers_name_the_day_that_was_meant() -> None:
    ahead, behind = "My appointment is on Tuesday.", "I saw her on Tuesday."
    assert dated(ahead, SUNDAY).text == "My appointment is on Tuesday (2025-05-20)."
    assert dated(behind, SUNDAY).text == "I saw her on Tuesday (2025-05-13)."
    assert [str(each) for each in days_named(ahead, SUNDAY)] == ["2025-05-20"]
    assert [str(each) for each in days_named(behind, SUNDAY)] == ["2025-05-13"]


def test_a_time_given_in_words_follows_the_text() -> None:
    with combray.open(":memory:", embedder="none", worker=False, clock=SUNDAY.timestamp) as engine:
        ahead = engine.remember("My appointment is on Tuesday.", occurred_at="on Tuesday")
        behind = engine.remember("I saw her on Tuesday.", occurred_at="Tuesday")
        plan = engine.remember("We will move the server.", occurred_at="Tuesday")
        note = engine.remember("The parcel waits at the post office.", expires_at="Tuesday")
        moments = [engine.get(each.id).moment.date() for each in (ahead, behind, plan)]
        assert moments == [NEXT, LAST, NEXT]
        kept = engine.get(note.id).expires_at
        assert kept is not None
        # To the end of that day.
        assert kept.date() == NEXT + timedelta(days=1)


@pytest.mark.parametrize("preset", ["default", "engram"])
@pytest.mark.parametrize(
    ("question", "first"),
    [("Was ist am Dienstag?", "Am Dienstag habe ich um 10 Uhr Zahnarzt."), ("Was war am Dienstag?", "Kino")],
)
def test_a_german_question_for_a_day_is_not_about_the_past_for_its_was(
    preset: str, question: str, first: str
) -> None:
    with combray.open(":memory:", preset=preset, clock=SUNDAY.timestamp) as engine:
        for text in (
            "Am Dienstag habe ich um 10 Uhr Zahnarzt.",
            "Der Drucker steht im Flur.",
            "Letzten Dienstag waren wir im Kino.",
        ):
            engine.remember(text, author="user")
        assert any(first in hit.memory.content for hit in engine.recall(question))
