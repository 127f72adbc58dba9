"""Relative dates made absolute: "yesterday" becomes "yesterday (2023-05-07)"."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from combray.language import dates
from combray.language.caches import from_tables
from combray.language.dates.direction import resolve_stated
from combray.language.dates.tables import date_tables
from combray.language.marks import Lists
from combray.records import dataclass

_YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")
_DAY, _SEASON = timedelta(days=1), timedelta(days=80)


@dataclass(frozen=True, slots=True)
class Dated:
    """A text with its dates in full.

    `start` is the start of the latest time named that had begun at `moment`; None if there is none.
    """

    text: str
    start: datetime | None = None


@from_tables
def _distances() -> Lists:
    return Lists({"distances": [word for table in date_tables().values() for word in table.distances]})


def dated(text: str, moment: datetime) -> Dated:
    """Return the text with each relative date followed by its day, month, year or range in parentheses.

    `moment` is when the text was said; its tense decides whether "Tuesday" is ahead. Vague words ("recently")
    and dates with a year stay as they are; "two months ago" becomes "two months ago (about 2023-03)".
    """
    # The grammars take 50 ms to build: a text without a date must not pay for them.
    if not (_YEAR.search(text) or dates.has_time_expression(text)):
        return Dated(text)
    full, done, start = "", 0, None
    for found in resolve_stated(text, moment):
        distance = not found.explicit and _distances().of(found.text).has("distances")
        # "A summer job" names no particular summer.
        season = found.text.isalpha() and found.end - found.start > _SEASON
        if season or not (found.explicit or distance):
            continue
        last = found.span[1]
        full += text[done:last]
        done = last
        if _YEAR.search(found.text) is None and found.kind != "open":
            full += f" ({'about ' if distance else ''}{_spelt(found.start, found.end)})"
        began = found.start.year > 1000 and found.start <= moment
        if began and (start is None or found.start > start):
            start = found.start
    return Dated(full + text[done:], start and start.astimezone(UTC))


def _spelt(start: datetime, end: datetime) -> str:
    """Return a range in its shortest form: 2023, 2023-05, 2023-05-07, or "2023-05-01 to 2023-05-07"."""
    last = (end - timedelta(microseconds=1)).date()
    if end - start <= _DAY:
        return start.date().isoformat()
    if (start.month, start.day, last.month, last.day) == (1, 1, 12, 31):
        return str(start.year) if start.year == last.year else f"{start.year} to {last.year}"
    if start.day == 1 and (last + _DAY).day == 1:
        month = f"{start:%Y-%m}"
        return month if (start.year, start.month) == (last.year, last.month) else f"{month} to {last:%Y-%m}"
    return f"{start.date().isoformat()} to {last.isoformat()}"
