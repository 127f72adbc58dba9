"""Actions for recurring times: weekdays, months, days of the year, seasons, holidays."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec

from combray.language.dates.actions import Context, action, in_calendar, pure
from combray.language.dates.spans import Bounds, Cycle, month_days, shift


@functools.cache
def _feasts() -> dict[str, dict[str, str]]:
    """Return the days of feasts that move from year to year, as "MM-DD" by year."""
    return msgspec.json.decode(
        (Path(__file__).parents[1] / "feasts.json").read_bytes(), type=dict[str, dict[str, str]]
    )


def _day_bounds(start: datetime, days: int = 1) -> Bounds:
    return start, start + timedelta(days=days)


@pure
def month(m: int) -> Cycle | None:
    """A month of any year."""
    if not 1 <= m <= 12:
        return None
    return Cycle("year", lambda y: (y.replace(month=m), shift(y.replace(month=m), 1, "month")), "month")


@pure
def month_day(m: int, d: int) -> Cycle | None:
    """A day of the year."""
    if not in_calendar(2000, m, d):
        return None

    def build(y: datetime) -> Bounds | None:
        return _day_bounds(y.replace(month=m, day=d)) if in_calendar(y.year, m, d) else None

    return Cycle("year", build, "day")


@pure
def day_of_month(d: int) -> Cycle | None:
    """A day of the month ("the 21st")."""
    if not 1 <= d <= 31:
        return None

    def build(m: datetime) -> Bounds | None:
        return _day_bounds(m.replace(day=d)) if d <= month_days(m.year, m.month) else None

    return Cycle("month", build, "day")


@pure
def weekday(w: int) -> Cycle:
    """A day of the week, 0 for Monday."""
    return Cycle("week", lambda week: _day_bounds(week + timedelta(days=w)), "day")


@pure
def weekend() -> Cycle:
    """Saturday and Sunday."""
    return Cycle("week", lambda week: _day_bounds(week + timedelta(days=5), 2), "weekend")


@pure
def part_of_year(n: int, unit: str) -> Cycle | None:
    """The n-th quarter or half of a year."""
    size = {"quarter": 3, "half": 6}[unit]
    if not 1 <= n <= 12 // size:
        return None

    def build(y: datetime) -> Bounds:
        start = shift(y, (n - 1) * size, "month")
        return start, shift(start, size, "month")

    return Cycle("year", build, unit)


@pure
def season(s: int) -> Cycle:
    """A season of three months from month `s` on; winter is named after the year it starts in."""

    def build(y: datetime) -> Bounds:
        return y.replace(month=s), shift(y.replace(month=s), 3, "month")

    return Cycle("year", build, "season")


@pure
def holiday(h: Mapping[str, Any]) -> Cycle:
    """A holiday from the table: {"month", "day"}, an n-th weekday {"month", "weekday", "nth"} (counted from
    the end when negative) or a {"feast"} of `feasts.json`, which has its day in each year.

    The last two may add "after" days; all may last several "days".
    """
    days = h.get("days", 1)

    def build(y: datetime) -> Bounds | None:
        if "feast" in h:
            text = _feasts()[h["feast"]].get(str(y.year))
            if not text:
                return None
            first = y.replace(month=int(text[:2]), day=int(text[3:])) + timedelta(days=h.get("after", 0))
            return _day_bounds(first, days)
        if "nth" in h:
            first = y.replace(month=h["month"])
            if h["nth"] < 0:
                first = shift(first, 1, "month")
            skip = (h["weekday"] - first.weekday()) % 7 + 7 * (h["nth"] - (h["nth"] > 0)) + h.get("after", 0)
            return _day_bounds(first + timedelta(days=skip), days)
        return _day_bounds(y.replace(month=h["month"], day=h["day"]), days)

    return Cycle("year", build, "day" if days == 1 else "week")


@action
def digits_day(context: Context, a: int, b: int) -> Cycle | None:
    """A day and month in digits, in the first order of the table that makes a date."""
    for order in context.orders:
        parts = dict(zip(order.replace("y", ""), (a, b), strict=True))
        if in_calendar(2000, parts["m"], parts["d"]):
            cycle: Cycle | None = month_day(parts["m"], parts["d"])
            return cycle
    return None
