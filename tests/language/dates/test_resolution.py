"""What holds for every language: offsets, time zones, directions, false friends, hostile input."""

from datetime import UTC, datetime, timedelta, timezone
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest

from combray.language.dates import resolve

NOW = datetime(2023, 5, 17, 14, 30)  # a Wednesday


def test_text_and_offsets_are_those_of_the_words_found() -> None:
    text = "Remind me: what did Ana say last week about Paris?"
    (found,) = resolve(text, NOW)
    assert found.text == "last week"
    assert text[found.span[0] : found.span[1]] == "last week"


def test_offsets_count_code_points_of_decomposed_text() -> None:
    text = "ho\u0302m qua co\u0301 mu\u031ba"  # "hôm qua có mưa" typed with combining accents
    (found,) = resolve(text, NOW)
    assert found.span == (0, 8)
    assert found.start == datetime(2023, 5, 16)


def test_several_expressions_come_in_the_order_of_the_text_without_overlap() -> None:
    found = resolve("yesterday, last week and in 2021", NOW)
    assert [e.text for e in found] == ["yesterday", "last week", "2021"]
    assert all(a.span[1] <= b.span[0] for a, b in pairwise(found))


def test_aware_now_gives_aware_ranges_in_its_zone_and_naive_gives_naive() -> None:
    zone = timezone(timedelta(hours=7))
    (found,) = resolve("yesterday", datetime(2023, 5, 17, 1, 0, tzinfo=zone))
    assert found.start == datetime(2023, 5, 16, tzinfo=zone)
    assert found.start.tzinfo is zone
    (plain,) = resolve("yesterday", NOW)
    assert plain.start.tzinfo is None


def test_a_day_is_a_calendar_day_when_the_clocks_change() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    # On 26 March 2023 the clocks went from 02:00 to 03:00: that day had 23 hours.
    (found,) = resolve("yesterday", datetime(2023, 3, 27, 9, tzinfo=berlin))
    assert (found.start.hour, found.end.hour) == (0, 0)
    assert found.end.astimezone(UTC) - found.start.astimezone(UTC) == timedelta(hours=23)


@pytest.mark.parametrize(
    ("text", "year"),
    [
        ("what happened on June 3", 2022),
        ("we will meet on June 3", 2023),
        ("ngày 3 tháng 6 có gì", 2022),
        ("ngày 3 tháng 6 sẽ gặp", 2023),
        ("六月三日发生了什么", 2022),
        ("六月三日将见面", 2023),
    ],
)
def test_a_date_without_a_year_is_past_unless_the_text_looks_forward(text: str, year: int) -> None:
    (found,) = resolve(text, NOW)
    assert found.start == datetime(year, 6, 3)


@pytest.mark.parametrize(
    "text",
    ["I met Nguyễn Văn Thảo last week", "the sign said 漢字, I saw it last week", "上週 means last week"],
)
def test_foreign_names_do_not_hide_the_language_of_the_text(text: str) -> None:
    found = resolve(text, NOW)[-1]
    assert (found.text, found.start) == ("last week", datetime(2023, 5, 8))


def test_ambiguous_digits_follow_the_order_of_the_language() -> None:
    assert resolve("05/08/2023", NOW, ["en"])[0].start == datetime(2023, 5, 8)
    assert resolve("05/08/2023", NOW, ["vi"])[0].start == datetime(2023, 8, 5)
    assert resolve("Thảo, 05/08/2023", NOW)[0].start == datetime(2023, 8, 5)
    assert resolve("hẹn gặp 05/08/2023", NOW)[0].start == datetime(2023, 8, 5)


@pytest.mark.parametrize(
    "text",
    [
        "May I sit here? I may.",
        "They march every day until they drop",
        "Give me a second, this is my second try",
        "the sun was low and we sat down",
        "chị Mai thích mai vàng",
        "Kieran is 25 and paid $2000.50",
        "31/02/2023",
        "version 1.2.3 of abc2023def",
        "when I was a child",
        "",
        "   ",
    ],
)
def test_words_that_only_look_like_times_are_left_alone(text: str) -> None:
    assert resolve(text, NOW) == []


def test_weak_words_count_after_an_introducer_or_next_to_a_number() -> None:
    assert resolve("what may happen in May", NOW)[0].span == (19, 22)
    assert resolve("we march on March 3", NOW)[0].start == datetime(2023, 3, 3)


def test_29_february_is_that_of_the_latest_leap_year() -> None:
    assert resolve("February 29", NOW)[0].start == datetime(2020, 2, 29)


def test_unknown_language_is_named_with_those_known() -> None:
    with pytest.raises(ValueError, match=r"'xx'.*en, de, es, fr, ja, ko, pt, vi, zh"):
        resolve("hoy", NOW, ["xx"])


@pytest.mark.parametrize("unit", ["1 day ", "last week of ", "一", "2023 ", "from May to ", "năm "])
def test_repeated_words_are_read_without_growing_beyond_bounds(unit: str) -> None:
    # A phrase is at most 18 tokens long, so no expression of these can pass 18 * 13 characters.
    assert all(len(e.text) <= 18 * 13 for e in resolve(unit * 300, NOW))
