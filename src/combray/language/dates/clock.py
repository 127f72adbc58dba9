"""Actions for times of day."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from combray.language.dates.actions import Context, Time, action, pure
from combray.language.dates.spans import Bounds, Cycle, Span, floor, unit_span

Hours = tuple[float, float, str]  # from, to (may pass 24), grain


@pure
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
    return (start, start + (1 / 60 if precise else 1), "minute" if precise else "hour")


@pure
def hours(p: Any) -> Hours:
    """A part of the day from the table: [from hour, to hour]."""
    return (float(p[0]), float(p[1]), "part")


@pure
def part_clock(p: Any, c: Hours) -> Hours | None:
    """A time of day with a named part of the day: 下午三点, "3 giờ chiều"."""
    start, end, grain = c
    if p[1] > 12 and start < 12 and p[0] <= start + 12:
        return (start + 12, end + 12, grain)
    return c


@pure
def at(time: Time, c: Hours) -> Time | None:
    """A day narrowed to a time of day ("yesterday at 3 pm", "Monday morning")."""
    if time.grain != "day":
        return None
    low, high, grain = c

    def narrow(bounds: Bounds) -> Bounds:
        return (
            bounds[0] + timedelta(minutes=round(low * 60)),
            bounds[0] + timedelta(minutes=round(high * 60)),
        )

    if isinstance(time, Span):
        return Span(*narrow((time.start, time.end)), grain, time.explicit)

    def rebuild(start: datetime) -> Bounds | None:
        bounds = time.build(start)
        return narrow(bounds) if bounds else None

    return Cycle(time.unit, rebuild, grain)


@action
def today_at(context: Context, c: Hours, n: int = 0, explicit: bool = True) -> Span | None:
    """A time of day of the day `n` days from today ("this morning", "tonight", "last night")."""
    base = unit_span(floor(context.now, "day") + timedelta(days=n), "day", explicit)
    narrowed: Span | None = at(base, c)
    return narrowed
