"""Dates of a query: which become filters, which a hint, and what is said when nothing passes."""

from __future__ import annotations

import unicodedata
from datetime import timedelta

import pytest

import combray
from combray.testing.fakes import START, FakeClock

# START, the clock's "now", is Wednesday 1 May 2024, 12:00.


def engine_with(**days_ago: float) -> combray.Engine:
    """One memory a word, happened so many days ago: `engine_with(lathe=3)`."""
    engine = combray.open(":memory:", preset="engram", embedder="none", clock=FakeClock())
    for word, days in days_ago.items():
        engine.remember(f"The {word} was moved", occurred_at=START - timedelta(days=days))
    return engine


def words(answer: combray.Answer) -> list[str]:
    return [hit.memory.content.split()[1] for hit in answer]


@pytest.mark.parametrize("phrase", ["recently", "gần đây", "最近", "two months ago"])
def test_vague_words_are_no_filter(phrase: str) -> None:
    answer = engine_with(lathe=2, press=400).recall(f"what moved {phrase}")
    assert sorted(words(answer)) == ["lathe", "press"]
    assert [each["as"] for each in answer.details["resolved"]] == ["soft"]


def test_a_hint_counts_memories_from_that_time_as_fresh() -> None:
    """Two months before 1 May is March. e^(-0.03 · 46) = 0.251579; inside the hinted range it counts as 1."""
    answer = engine_with(lathe=46, press=1).recall("what was moved two months ago")
    recency = {hit.memory.content.split()[1]: hit.signals["recency"] for hit in answer}
    assert recency == {"lathe": 1.0, "press": 0.970446}
    plain = engine_with(lathe=46).recall("what was moved")
    assert plain[0].signals["recency"] == 0.251579


def test_a_time_still_to_come_is_what_is_talked_about_and_no_filter() -> None:
    """ "What did we decide about the plan for next week?" was decided before next week."""
    engine = engine_with(lathe=3)
    engine.remember("We moved the plan for next week to the lathe room", occurred_at=START - timedelta(days=2))
    answer = engine.recall("What did we decide about the plan for next week?")
    assert answer[0].memory.content.startswith("We moved the plan")
    assert answer.details["resolved"][0]["as"] == "soft"
    assert answer.details["resolved_query"].endswith("next week (2024-05-06 to 2024-05-12)?")


def test_the_callers_range_stays_in_force() -> None:
    engine = engine_with(lathe=3, press=8)
    assert words(engine.recall("moved last month")) == ["lathe", "press"]
    assert words(engine.recall("moved last month", since="2024-04-25")) == ["lathe"]
    assert words(engine.recall("moved last month", until="2024-04-25")) == ["press"]
    assert words(engine.recall("moved yesterday", until="2024-04-25")) == []


def test_two_dates_give_one_range() -> None:
    engine = engine_with(lathe=1, press=4, saw=9)
    assert sorted(words(engine.recall("what moved yesterday or 4 days ago"))) == ["lathe", "press"]


def test_one_sided_ranges() -> None:
    answer = engine_with(lathe=3, press=60).recall("what moved since 2024-04-20")
    assert words(answer) == ["lathe"]
    assert answer.details["resolved"][0]["to"] is None
    assert words(engine_with(lathe=3, press=60).recall("what moved before 2024-04-20")) == ["press"]


def test_nothing_of_that_date_is_said_and_nothing_widened() -> None:
    answer = engine_with(lathe=3).recall("what moved yesterday")
    assert len(answer) == 0
    assert answer.reason == (
        "nothing is dated yesterday (2024-04-30); ask without the date for what only mentions it"
    )
    # A memory that names the day, and happened on another.
    engine = engine_with()
    engine.remember("On 2024-04-30 the press is moved", occurred_at=START - timedelta(days=20))
    assert len(engine.recall("what moved on 2024-04-30")) == 0
    assert len(engine.recall("press moved")) == 1


def test_an_empty_namespace_says_that_it_is_empty() -> None:
    assert engine_with().recall("what moved yesterday").reason == "namespace 'default' has no memories yet"


def test_of_that_date_but_about_something_else() -> None:
    answer = engine_with(lathe=1).recall("elephants yesterday")
    assert len(answer) == 0
    assert answer.reason.startswith("nothing dated yesterday (2024-04-30) matches")


@pytest.mark.parametrize(
    "question",
    [
        "yesterday",
        "What happened yesterday?",
        "what did we do yesterday",
        "hôm qua có gì?",
        "hom qua",
        "昨天我们做了什么？",
    ],
)
def test_a_question_only_about_a_date_gets_that_dates_memories(question: str) -> None:
    assert sorted(words(engine_with(lathe=1, press=1.2, saw=5).recall(question))) == ["lathe", "press"]


def test_the_phrase_is_no_keyword() -> None:
    """ "week" is in the text of the second, which happened before it."""
    engine = engine_with(lathe=8)
    engine.remember("The week has seven days", occurred_at=START - timedelta(days=9))
    answer = engine.recall("the lathe last week")
    assert [hit.signals["keyword"] for hit in answer] == [1.0]


def test_letters_written_apart_from_their_marks() -> None:
    answer = engine_with(lathe=1).recall(unicodedata.normalize("NFD", "hôm qua có gì?"))
    assert words(answer) == ["lathe"]


def test_a_pasted_page_is_searched_for_dates_at_its_beginning() -> None:
    page = "the lathe was moved, " * 100
    assert "resolved" not in engine_with(lathe=1).recall(page + "yesterday").details
    assert "resolved" in engine_with(lathe=1).recall("yesterday " + page).details


def test_times_of_day() -> None:
    engine = engine_with(lathe=0.25, press=1)
    answer = engine.recall("what moved this morning")
    assert words(answer) == ["lathe"]
    assert "this morning (2024-05-01 05:00 to 2024-05-01 12:00)" in answer.details["resolved_query"]


DAYS_OF_THE_DESIGN = {
    # Upstream notes 5.2, "Temporal table", in its order; "→" at the end marks a time still to come.
    "tuần rồi|tuần trước|last week": ("2024-04-22T00", "2024-04-29T00"),
    "tuần tới→|tuần sau→|next week→": ("2024-05-06T00", "2024-05-13T00"),
    "tháng rồi|tháng trước|last month": ("2024-04-01T00", "2024-05-01T00"),
    "tháng tới→|tháng sau→|next month→": ("2024-06-01T00", "2024-07-01T00"),
    "năm ngoái|năm trước|last year": ("2023-01-01T00", "2024-01-01T00"),
    "năm tới→|năm sau→": ("2025-01-01T00", "2026-01-01T00"),
    "ngày mai→|tomorrow→": ("2024-05-02T00", "2024-05-03T00"),
    "ngày mốt→|ngày kia→": ("2024-05-03T00", "2024-05-04T00"),
    "hôm kia": ("2024-04-29T00", "2024-04-30T00"),
    "hôm qua|yesterday": ("2024-04-30T00", "2024-05-01T00"),
    "hôm nay|today": ("2024-05-01T00", "2024-05-02T00"),
    "sáng nay|this morning": ("2024-05-01T05", "2024-05-01T12"),
    "chiều nay": ("2024-05-01T12", "2024-05-01T18"),
    "tối nay→": ("2024-05-01T18", "2024-05-02T00"),
    "sáng mai→": ("2024-05-02T05", "2024-05-02T12"),
    "tối qua": ("2024-04-30T18", "2024-05-01T00"),
    "last night": ("2024-04-30T18", "2024-05-01T06"),
}


@pytest.mark.parametrize(
    ("phrase", "since", "until"),
    [(each, *bounds) for phrases, bounds in DAYS_OF_THE_DESIGN.items() for each in phrases.split("|")],
)
def test_the_designs_patterns(phrase: str, since: str, until: str) -> None:
    """The page: "Supported patterns (28 total)"; its code has 37, of one day each."""
    words_, coming = phrase.rstrip("→"), phrase.endswith("→")
    (told,) = engine_with().recall(f"lathe {words_}").details["resolved"]
    assert told == {
        "phrase": words_,
        "from": f"{since}:00:00+00:00",
        "to": f"{until}:00:00+00:00",
        "as": "soft" if coming else "filter",
    }


# -- distances counted in weeks ----------------------------------------------------------------------------


@pytest.mark.parametrize("embedder", ["wordllama", "none"])
@pytest.mark.parametrize(
    "phrase", ["two weeks ago", "2 weeks ago", "a fortnight ago", "hai tuần trước", "hai tuan truoc", "两周前"]
)
def test_weeks_ago_are_a_filter(phrase: str, embedder: str) -> None:
    """Issue 14, wrong 8. Two weeks before Wednesday 1 May is 17 April: its week, from the 14th.

    So 10 to 17 days ago are within, and 9 and 18 days ago are not.
    """
    engine = combray.open(":memory:", preset="engram", embedder=embedder, clock=FakeClock())
    for days in (9, 10, 17, 18):
        engine.remember(f"We moved shelf {days} to the attic", occurred_at=START - timedelta(days=days))
    answer = engine.recall(f"what was moved to the attic {phrase}")
    assert sorted(hit.memory.content.split()[3] for hit in answer) == ["10", "17"]
    (resolved,) = answer.details["resolved"]
    assert resolved["as"] == "filter"
    assert str(resolved["from"]).startswith("2024-04-14")
    assert str(resolved["to"]).startswith("2024-04-22")


@pytest.mark.parametrize("embedder", ["wordllama", "none"])
@pytest.mark.parametrize("phrase", ["two weeks ago", "this month", "18 days ago"])
def test_an_empty_time_is_the_reason_that_is_given(phrase: str, embedder: str) -> None:
    engine = combray.open(":memory:", preset="engram", embedder=embedder, clock=FakeClock())
    engine.remember("We moved the lathe to the attic", occurred_at=START - timedelta(days=100))
    answer = engine.recall(f"what was moved to the attic {phrase}")
    assert not answer
    assert answer.reason.startswith(f"nothing is dated {phrase} (2024-0")


@pytest.mark.parametrize("phrase", ["a few weeks ago", "several weeks ago", "vài tuần trước", "几周前"])
def test_a_few_weeks_ago_stays_a_hint(phrase: str) -> None:
    answer = engine_with(lathe=2, press=400).recall(f"what moved {phrase}")
    assert sorted(words(answer)) == ["lathe", "press"]
    assert [each["as"] for each in answer.details["resolved"]] == ["soft"]
