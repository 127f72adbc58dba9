"""Why there is a grammar of our own: what the best-kept library for this, dateparser, does with memory queries.

It reads single moments well and knows 200 languages; it gives no ranges and misses counted and bounded
phrases of the three languages that matter here. Should a newer version read them, these tests say so.
"""

from datetime import datetime, timedelta

import dateparser
import pytest

from combray.language.dates import resolve

NOW = datetime(2024, 5, 8, 12)  # a Wednesday

UNREAD = [
    ("en", "since 2021", datetime(2021, 1, 1), datetime(3000, 1, 1)),
    ("en", "between March and May", datetime(2024, 3, 1), datetime(2024, 6, 1)),
    ("en", "the week before last", datetime(2024, 4, 22), datetime(2024, 4, 29)),
    ("vi", "hai tuần trước", datetime(2024, 4, 22), datetime(2024, 4, 29)),
    ("vi", "ba ngày trước", datetime(2024, 5, 5), datetime(2024, 5, 6)),
    ("zh", "三天前", datetime(2024, 5, 5), datetime(2024, 5, 6)),
]
PERIODS = [("en", "last week"), ("en", "this month"), ("vi", "tuần trước"), ("zh", "上周")]


def library(phrase: str, language: str) -> datetime | None:
    found: datetime | None = dateparser.parse(phrase, languages=[language], settings={"RELATIVE_BASE": NOW})
    return found


@pytest.mark.parametrize(("language", "phrase", "start", "end"), UNREAD, ids=[each[1] for each in UNREAD])
def test_the_library_does_not_read_what_the_grammar_reads(
    language: str, phrase: str, start: datetime, end: datetime
) -> None:
    assert library(phrase, language) is None
    (found,) = resolve(phrase, NOW)
    assert (found.start, found.end) == (start, end)


@pytest.mark.parametrize(("language", "phrase"), PERIODS)
def test_the_library_makes_a_moment_of_a_period(language: str, phrase: str) -> None:
    moment = library(phrase, language)
    assert moment is not None
    (found,) = resolve(phrase, NOW)
    assert found.end - found.start >= timedelta(days=7)
    assert moment not in (found.start, found.end)


def test_both_agree_on_a_day() -> None:
    for language, phrase in [("en", "3 days ago"), ("en", "yesterday"), ("vi", "hôm qua"), ("zh", "前天")]:
        moment = library(phrase, language)
        (found,) = resolve(phrase, NOW)
        assert moment is not None
        assert moment.date() == found.start.date()
