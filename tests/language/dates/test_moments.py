"""Single moments and ranges as given in settings and on the command line."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from combray.language.dates import parse_moment, parse_range

NOW = datetime(2023, 5, 17, 14, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-03-01", datetime(2026, 3, 1, tzinfo=UTC)),
        ("2026-03-01T13:56", datetime(2026, 3, 1, 13, 56, tzinfo=UTC)),
        ("2026-03-01T13:56:00Z", datetime(2026, 3, 1, 13, 56, tzinfo=UTC)),
        ("2026-03-01T13:56+07:00", datetime(2026, 3, 1, 13, 56, tzinfo=timezone(timedelta(hours=7)))),
        ("1:56 pm on 8 May, 2023", datetime(2023, 5, 8, 13, 56, tzinfo=UTC)),
        ("12:09 am on 13 September, 2023", datetime(2023, 9, 13, 0, 9, tzinfo=UTC)),
        ("2023/05/20 (Sat) 02:21", datetime(2023, 5, 20, 2, 21, tzinfo=UTC)),
        ("3 days ago", datetime(2023, 5, 14, tzinfo=UTC)),
        ("  yesterday ", datetime(2023, 5, 16, tzinfo=UTC)),
        ("hôm qua", datetime(2023, 5, 16, tzinfo=UTC)),
        ("昨天", datetime(2023, 5, 16, tzinfo=UTC)),
        ("now", NOW),
    ],
)
def test_moments(text: str, expected: datetime) -> None:
    assert parse_moment(text, NOW) == expected


def test_a_naive_now_gives_a_naive_moment_and_none_an_aware_one() -> None:
    assert parse_moment("2026-03-01", datetime(2023, 5, 17)).tzinfo is None
    assert parse_moment("2026-03-01").tzinfo is not None


@pytest.mark.parametrize("text", ["", "hello", "yesterday or today", "I met her yesterday at home", "2023-13-45"])
def test_what_is_not_one_moment_is_refused_with_the_accepted_forms(text: str) -> None:
    with pytest.raises(ValueError, match="accepted forms: ISO 8601"):
        parse_moment(text, NOW)


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("last week", datetime(2023, 5, 8), datetime(2023, 5, 15)),
        ("2023-05-08", datetime(2023, 5, 8), datetime(2023, 5, 9)),
        ("2023-05-01..2023-05-08", datetime(2023, 5, 1), datetime(2023, 5, 9)),
        ("2023-05-01/2023-05-08", datetime(2023, 5, 1), datetime(2023, 5, 9)),
        ("from March to April", datetime(2023, 3, 1), datetime(2023, 5, 1)),
        ("2023-05-08T10:00", datetime(2023, 5, 8, 10), datetime(2023, 5, 8, 10, 0, 1)),
        ("9999-12-31", datetime(9999, 12, 31), datetime.max),
        ("2023-05-08..9999-12-31", datetime(2023, 5, 8), datetime.max),
    ],
)
def test_ranges(text: str, start: datetime, end: datetime) -> None:
    assert parse_range(text, NOW) == (start.replace(tzinfo=UTC), end.replace(tzinfo=UTC))
