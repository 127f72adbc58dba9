"""Moments as callers give them."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest

from combray.errors import InvalidInputError
from combray.values import as_moment, as_seconds

NOW = datetime(2024, 5, 15, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (None, None),
        (datetime(2024, 3, 1, 8, 30), datetime(2024, 3, 1, 8, 30, tzinfo=UTC)),
        (datetime(2024, 3, 1, tzinfo=timezone(timedelta(hours=9))), datetime(2024, 2, 29, 15, tzinfo=UTC)),
        (date(2024, 3, 1), datetime(2024, 3, 1, tzinfo=UTC)),
        (1_700_000_000, datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)),
        (-1.5, datetime(1969, 12, 31, 23, 59, 58, 500_000, tzinfo=UTC)),
        ("2024-03-01", datetime(2024, 3, 1, tzinfo=UTC)),
        ("2024-03-01T08:30:00Z", datetime(2024, 3, 1, 8, 30, tzinfo=UTC)),
        ("2024-03-01T08:30:00-05:00", datetime(2024, 3, 1, 13, 30, tzinfo=UTC)),
    ],
)
def test_moments(given: Any, expected: datetime | None) -> None:
    assert as_moment("since", given, NOW.timestamp()) == expected
    seconds = None if expected is None else expected.timestamp()
    assert as_seconds("since", given, NOW.timestamp()) == seconds


@pytest.mark.parametrize(
    ("words", "day"), [("3 days ago", 12), ("yesterday", 14), ("hôm qua", 14), ("三天前", 12)]
)
def test_words_count_from_now(words: str, day: int) -> None:
    found = as_moment("since", words, NOW.timestamp())
    assert found is not None
    assert found.date() == date(2024, 5, day)


@pytest.mark.parametrize(
    "wrong", ["", "no date at all", "2024-02-30", True, [], {}, float("nan"), float("-inf"), 1e30, b"2024"]
)
def test_what_is_no_moment_is_refused_by_name(wrong: Any) -> None:
    with pytest.raises(InvalidInputError) as caught:
        as_moment("until", wrong, NOW.timestamp())
    assert caught.value.field == "until"
