"""Relative dates written out from the day they were said."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from combray.language.dates.statements import dated

NOW = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
"""A Monday."""


@pytest.mark.parametrize(
    ("said", "text", "start"),
    [
        ("I moved to Berlin yesterday", "I moved to Berlin yesterday (2023-05-07)", (2023, 5, 7)),
        ("Last year, I moved to Berlin", "Last year (2022), I moved to Berlin", (2022, 1, 1)),
        ("I moved to Berlin in 2016", "I moved to Berlin in 2016", (2016, 1, 1)),
        ("I ran a marathon last week", "I ran a marathon last week (2023-05-01 to 2023-05-07)", (2023, 5, 1)),
        ("I moved two months ago", "I moved two months ago (about 2023-03)", (2023, 3, 1)),
        ("I moved to Berlin recently", "I moved to Berlin recently", None),
    ],
)
def test_relative_dates_are_written_out_from_the_day_it_was_said(
    said: str, text: str, start: tuple[int, int, int] | None
) -> None:
    found = dated(said, NOW)
    assert found.text == text
    assert found.start == (None if start is None else datetime(*start, tzinfo=UTC))


def test_a_season_alone_is_no_date_and_a_year_says_enough() -> None:
    assert dated("a summer job", NOW).text == "a summer job"
    assert dated("in May 2021", NOW).text == "in May 2021"
    assert dated("on May 5th", NOW).text == "on May 5th (2023-05-05)"
    assert dated("tomorrow", NOW).start is None, "has not begun"
