"""Actions for times of day."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, NamedTuple

from combray.language.dates.actions import Context, Time, action, pure
from combray.language.dates.spans import Bounds, Cycle, Span, floor, unit_span


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
