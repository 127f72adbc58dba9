"""Actions for recurring times: weekdays, months, days of the year, seasons, holidays, times of day."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from combray.language.dates.actions import Context, Time, action, in_calendar, pure
from combray.language.dates.spans import Bounds, Cycle, Span, floor, month_days, shift, unit_span


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
def holiday(h: Mapping[str, Any] | str) -> Cycle:
    """A holiday from the table: "MM-DD" or {"month", "day"}, an n-th weekday {"month", "weekday", "nth"}
    (counted from the end when negative) or a {"feast"} of `feasts.json`, which has its day in each year.

    The last two may add "after" days; all objects may last several "days".
    """
    if isinstance(h, str):
        h = {"month": int(h[:2]), "day": int(h[3:])}
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


class Hours(NamedTuple):
    """Hours of a day, from and to (may pass 24). `loose`: without "am", "pm" or a part of the day ("at 6")."""

    start: float
    end: float
    grain: str
    loose: bool = False


def clock(h: int, m: int = 0, half: str = "", precise: bool = False) -> Hours | None:
    """A time of day, an hour long, or a minute long when minutes are given; `half` is "am", "pm" or ""."""
    hour = int(h)
    if half:
        if not 1 <= hour <= 12 and not (half == "pm" and hour < 24):
            return None
        hour = hour % 12 + (12 if half == "pm" else 0) if hour <= 12 else hour
    if not 0 <= hour <= 24 or not 0 <= m < 60:
        return None
    start = hour + int(m) / 60
    loose = not half and 0 < hour <= 12 and not (getattr(h, "width", 0) == 2 and hour < 10)
    return Hours(start, start + (1 / 60 if precise else 1), "minute" if precise else "hour", loose)


pure(clock)


@pure
def clock_before(h: int, m: int) -> Hours | None:
    """Minutes before an hour: "a quarter to nine"."""
    if not 1 <= h <= 24 or not 0 < m < 60:
        return None
    start = int(h) - int(m) / 60
    return Hours(start, start + 1 / 60, "minute", loose=h <= 12)


@pure
def clock_range(a: Hours | int, b: Hours | int) -> Hours | None:
    """From one time of day to another, which is not included; the half of the day of one serves both."""
    first = a if isinstance(a, Hours) else clock(a)
    last = b if isinstance(b, Hours) else clock(b)
    if first is None or last is None or "part" in (first.grain, last.grain):
        return None
    start, end = first.start, last.start
    if first.loose and not last.loose and start < 12 and start + 12 < end:
        start += 12
    if end <= start:
        end += 12 if last.loose and end + 12 > start else 24
    return Hours(start, end, "range", first.loose and last.loose)


@pure
def hours(p: Any) -> Hours:
    """A part of the day from the table: [from hour, to hour]."""
    return Hours(float(p[0]), float(p[1]), "part")


def part_clock(p: Any, c: Hours) -> Hours:
    """A time of day with a named part of the day: 下午三点, "3 giờ chiều"."""
    if c.loose and p[1] > 12 and c.start < 12 and p[0] <= c.start + 12:
        return Hours(c.start + 12, c.end + 12, c.grain)
    return c._replace(loose=False)


pure(part_clock)


@pure
def part_hour(p: Any, h: int) -> Hours | None:
    """An hour that is only a number, with a named part of the day ("nine in the morning")."""
    hour = clock(h)
    return part_clock(p, hour) if hour else None


def _place(bounds: Bounds, whole: str, c: Hours) -> Bounds | None:
    """The hours in a day, or in a part of one: six o'clock "tonight" is 18:00."""
    day = floor(bounds[0], "day")
    length = timedelta(minutes=round((c.end - c.start) * 60))
    for later in (0,) if whole == "day" else (0, 12, 24):
        start = day + timedelta(minutes=round((c.start + later) * 60))
        if bounds[0] <= start < bounds[1] and (c.loose or later != 12):
            return start, start + length
    return None


def at(time: Time, c: Hours) -> Time | None:
    """A day, or a part of one, narrowed to a time of day ("yesterday at 3 pm", "Monday morning", 今晚六点)."""
    if time.grain != "day" and (time.grain != "part" or c.grain == "part"):
        return None
    grain = "part" if c.grain == "range" else c.grain
    if isinstance(time, Span):
        placed = _place((time.start, time.end), time.grain, c)
        return Span(*placed, grain, time.explicit) if placed else None

    def rebuild(start: datetime) -> Bounds | None:
        bounds = time.build(start)
        return _place(bounds, time.grain, c) if bounds else None

    return Cycle(time.unit, rebuild, grain)


pure(at)


@pure
def at_hour(time: Time, h: int) -> Time | None:
    """A day with an hour that is only a number ("tomorrow at 8")."""
    hour = clock(h)
    return at(time, hour) if hour else None


@action
def today_at(context: Context, c: Hours, n: int = 0, explicit: bool = True) -> Time | None:
    """A time of day of the day `n` days from today ("this morning", "tonight", "last night")."""
    return at(unit_span(floor(context.now, "day") + timedelta(days=n), "day", explicit), c)
