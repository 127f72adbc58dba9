"""Ranges of time and the calendar arithmetic under them.

A `Span` is a resolved half-open range. A `Cycle` is a recurring time ("May", "Friday", "8 May", "Christmas"). A
moment, a direction or an enclosing range selects one of its occurrences, which is a Span. All arithmetic is on
wall-clock time in the time zone of `now`: a day is a calendar day, also when daylight saving time begins or ends.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import NamedTuple

# Open ranges ("since May", "before Tet") end here: wide enough for any memory, far enough from the limits
# of `datetime` that shifting by a time zone can never overflow.
FAR_PAST_YEAR = 1000
FAR_FUTURE_YEAR = 3000

# Lengths of the units counted in months; a decade and a century start at a round year.
MONTHS = {"month": 1, "quarter": 3, "half": 6, "year": 12, "decade": 120, "century": 1200}
# Lengths of the units counted in minutes.
MINUTES = {"minute": 1, "hour": 60, "day": 1440, "weekend": 10080, "week": 10080, "fortnight": 20160}
CLOCK_GRAINS = frozenset({"minute", "hour", "part"})


class Span(NamedTuple):
    """A resolved range: `start` inclusive, `end` exclusive, `grain` its natural unit.

    `explicit` is False when the words only hint at a time; `grain` is "open" for one-sided ranges. `counted`: the
    range is the unit at a distance in whole units ("two weeks ago"), so it is precise to half of that unit.
    """

    start: datetime
    end: datetime
    grain: str
    explicit: bool = True
    counted: bool = False

    @property
    def kind(self) -> str:
        """The public kind: "time", "date", "period" or "open"."""
        if self.grain == "open":
            return "open"
        if self.grain in CLOCK_GRAINS:
            return "time"
        return "date" if self.grain == "day" else "period"


Bounds = tuple[datetime, datetime]


class Cycle(NamedTuple):
    """A recurring range: `build` maps the start of one `unit` ("day", "week", "month", "year") to the
    bounds of the occurrence in it, or to None when that one has none (29 February 2023)."""

    unit: str
    build: Callable[[datetime], Bounds | None]
    grain: str


def floor(moment: datetime, unit: str) -> datetime:
    """Return the start of the calendar unit that holds `moment`; weeks start on Monday."""
    if unit == "minute":
        return moment.replace(second=0, microsecond=0)
    if unit == "hour":
        return moment.replace(minute=0, second=0, microsecond=0)
    day = moment.replace(hour=0, minute=0, second=0, microsecond=0)
    if unit == "day":
        return day
    if unit in ("week", "weekend", "fortnight"):
        return day - timedelta(days=day.weekday())
    first = day.replace(day=1)
    if unit == "month":
        return first
    if unit in ("quarter", "half"):
        size = MONTHS[unit]
        return first.replace(month=1 + (first.month - 1) // size * size)
    years = {"year": 1, "decade": 10, "century": 100}[unit]
    return first.replace(month=1, year=max(1, first.year // years * years))


def shift(moment: datetime, count: float, unit: str) -> datetime:
    """Return `moment` moved by `count` units; a day past the end of the month becomes its last day.

    Fractions are exact for units counted in minutes, and rounded to whole months (or, under one month, to
    thirty-day parts) for the others. Raises OverflowError when the year leaves 1..9999.
    """
    if unit in MINUTES:
        return moment + timedelta(minutes=count * MINUTES[unit])
    months = count * MONTHS[unit]
    whole = int(months)
    index = moment.year * 12 + moment.month - 1 + whole
    year, month = index // 12, index % 12 + 1
    if not 1 <= year <= 9998:
        raise OverflowError(f"{count} {unit}s from {moment.date()} is outside the calendar")
    day = min(moment.day, month_days(year, month))
    moved = moment.replace(year=year, month=month, day=day)
    return moved + timedelta(days=round((months - whole) * 30))


def month_days(year: int, month: int) -> int:
    """Return the number of days in a month."""
    if month == 2:
        return 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    return 30 if month in (4, 6, 9, 11) else 31


def unit_span(moment: datetime, unit: str, explicit: bool = True) -> Span:
    """Return the calendar unit that holds `moment`; a weekend is the Saturday and Sunday of its week."""
    start = floor(moment, unit)
    if unit == "weekend":
        return Span(start + timedelta(days=5), start + timedelta(days=7), unit, explicit)
    return Span(start, shift(start, 1, unit), unit, explicit)


def occurrence(cycle: Cycle, moment: datetime, offset: int = 0) -> Span | None:
    """Return the occurrence in the cycle unit `offset` units away from the one that holds `moment`."""
    bounds = cycle.build(shift(floor(moment, cycle.unit), offset, cycle.unit))
    return Span(*bounds, cycle.grain) if bounds else None


def latest(cycle: Cycle, moment: datetime, ended: bool = False) -> Span | None:
    """Return the last occurrence that starts at or before `moment` (with `ended`: that also ends by then)."""
    for offset in range(1, -9, -1):  # 29 February can be eight years away
        found = occurrence(cycle, moment, offset)
        if found and (found.end if ended else found.start) <= moment:
            return found
    return None


def following(cycle: Cycle, moment: datetime) -> Span | None:
    """Return the first occurrence that starts at or after `moment`."""
    for offset in range(-1, 10):
        found = occurrence(cycle, moment, offset)
        if found and found.start >= moment:
            return found
    return None


def inside(cycle: Cycle, span: Span) -> Span | None:
    """Return the first occurrence that starts inside `span`, or None."""
    found = following(cycle, span.start)
    return found if found and found.start < span.end else None


def far(moment: datetime, year: int) -> datetime:
    """Return the first instant of `year` in the time zone of `moment`."""
    return moment.replace(year=year, month=1, day=1, hour=0, minute=0, second=0, microsecond=0)
