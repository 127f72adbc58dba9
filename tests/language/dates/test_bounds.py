"""Open ranges with inclusion, parts of periods, ranges within a day, and digits by language."""

from datetime import datetime

import pytest

from combray.language.dates import resolve

NOW = datetime(2023, 5, 17, 14, 30)  # a Wednesday
PAST, FUTURE = datetime(1000, 1, 1), datetime(3000, 1, 1)


def day(year: int, month: int = 1, day: int = 1, hour: int = 0, minute: int = 0) -> datetime:
    return datetime(year, month, day, hour, minute)


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        # "Or" includes the time itself, whichever word comes first.
        ("photos from 2017 or later", day(2017), FUTURE),
        ("photos from 2017 or earlier", PAST, day(2018)),
        ("on or after March 5, 2021", day(2021, 3, 5), FUTURE),
        ("no later than March 5, 2021", PAST, day(2021, 3, 6)),
        ("no earlier than March 5, 2021", day(2021, 3, 5), FUTURE),
        ("by March 5, 2021 at the latest", PAST, day(2021, 3, 6)),
        ("2017年或之后", day(2017), FUTURE),
        ("2017年及以前", PAST, day(2018)),
        ("不晚于2021年3月5日", PAST, day(2021, 3, 6)),
        ("từ năm 2017 trở về trước", PAST, day(2018)),
        ("không sớm hơn ngày 5 tháng 3 năm 2021", day(2021, 3, 5), FUTURE),
        # Without it, "after" starts when the time is over.
        ("after 2017", day(2018), FUTURE),
        ("sau tháng 5 năm 2021", day(2021, 6), FUTURE),
        ("more than two years ago", PAST, day(2021, 5, 17)),
    ],
)
def test_an_open_range_includes_the_time_if_the_words_say_so(text: str, start: datetime, end: datetime) -> None:
    found = max(resolve(text, NOW), key=lambda each: each.span[1] - each.span[0])
    assert (found.start, found.end, found.kind) == (start, end, "open")


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("the first two weeks of May 2021", day(2021, 5, 1), day(2021, 5, 15)),
        ("the last ten days of June 2021", day(2021, 6, 21), day(2021, 7, 1)),
        ("the second half of 2021", day(2021, 7), day(2022)),
        ("the last third of 2021", day(2021, 9), day(2022)),
        ("the first half of April 2021", day(2021, 4, 1), day(2021, 4, 16)),
        ("2021年6月最后十天", day(2021, 6, 21), day(2021, 7, 1)),
        ("hai tuần đầu tháng 5 năm 2021", day(2021, 5, 1), day(2021, 5, 15)),
        ("from the 13th to the 15th July 2021", day(2021, 7, 13), day(2021, 7, 16)),
        ("từ ngày 13 đến ngày 15 tháng 7 năm 2021", day(2021, 7, 13), day(2021, 7, 16)),
        ("signed 31-Oct-74", day(1974, 10, 31), day(1974, 11, 1)),
        ("week 12 of 2021", day(2021, 3, 22), day(2021, 3, 29)),
        ("3 ngày tiếp theo", day(2023, 5, 18), day(2023, 5, 21)),
        ("quý tiếp theo", day(2023, 7), day(2023, 10)),
        ("results of the past quarter", day(2023, 1), day(2023, 4)),
        ("前四半期", day(2023, 1), day(2023, 4)),
    ],
)
def test_parts_of_periods(text: str, start: datetime, end: datetime) -> None:
    (found,) = resolve(text, NOW)
    assert (found.start, found.end) == (start, end)


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("yesterday from 2 to 4 pm", day(2023, 5, 16, 14), day(2023, 5, 16, 16)),
        ("yesterday from 11 am to 1 pm", day(2023, 5, 16, 11), day(2023, 5, 16, 13)),
        ("from 9:00 to 10:30 on May 3, 2023", day(2023, 5, 3, 9), day(2023, 5, 3, 10, 30)),
        ("tonight between 8 and 10", day(2023, 5, 17, 20), day(2023, 5, 17, 22)),
        ("half past six this evening", day(2023, 5, 17, 18, 30), day(2023, 5, 17, 18, 31)),
        ("今晚6点", day(2023, 5, 17, 18), day(2023, 5, 17, 19)),
        ("昨天下午2点到4点", day(2023, 5, 16, 14), day(2023, 5, 16, 16)),
        ("từ 2 giờ đến 4 giờ chiều hôm qua", day(2023, 5, 16, 14), day(2023, 5, 16, 16)),
        # The part of the day belongs to a number without "o'clock".
        ("ayer de 2 a 4 de la tarde", day(2023, 5, 16, 14), day(2023, 5, 16, 16)),
        ("ayer entre 9 y 11 de la mañana", day(2023, 5, 16, 9), day(2023, 5, 16, 11)),
        ("hier de 2 à 4 de l'après-midi", day(2023, 5, 16, 14), day(2023, 5, 16, 16)),
    ],
)
def test_hours_of_a_day(text: str, start: datetime, end: datetime) -> None:
    (found,) = resolve(text, NOW)
    assert (found.start, found.end, found.kind) == (start, end, "time")


@pytest.mark.parametrize(
    "text", ["a ratio of 30/4.85", "release 10.2.1 is out", "3-2 after extra time", "this may take longer"]
)
def test_numbers_that_are_no_dates(text: str) -> None:
    assert resolve(text, NOW) == []


def test_a_month_in_lower_case_counts_before_a_pronoun_or_at_the_end() -> None:
    for text in ("we met there this may", "this may we met", "in May work was hard"):
        assert [each.start.month for each in resolve(text, NOW)] == [5]


def test_digits_are_read_day_first_in_text_with_vietnamese_letters() -> None:
    assert resolve("ghi chép 5-11-2022", NOW)[0].start == day(2022, 11, 5)
