"""Actions for times relative to now or to each other: last week, since May, between two dates."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from combray.language.dates.actions import Context, Time, action, pure, settle
from combray.language.dates.spans import (
    CLOCK_GRAINS,
    FAR_FUTURE_YEAR,
    FAR_PAST_YEAR,
    Cycle,
    Span,
    far,
    floor,
    following,
    inside,
    latest,
    occurrence,
    shift,
    unit_span,
)

# Units of cycles by length.
_SIZES = {"day": 1, "week": 2, "month": 3, "year": 4}


@action
def day(context: Context, n: int, base: Time | None = None) -> Span | None:
    """The day `n` days after today, or after `base`."""
    origin = settle(context, base) if base else None
    if origin and origin.grain in CLOCK_GRAINS:
        return None  # "the day after tomorrow at 6" has no "tomorrow at 6"
    return unit_span(floor(origin.start if origin else context.now, "day") + timedelta(days=n), "day")


@action
def shifted(context: Context, n: int, unit: str) -> Span:
    """The calendar unit `n` units from the current one: -1 with "week" is Monday to Monday last week."""
    return unit_span(shift(floor(context.now, unit), n, unit), unit)


@action
def around(context: Context, n: int, cycle: Cycle) -> Span | None:
    """The cycle's occurrence in the current unit moved by `n` ("this Friday", 上周五)."""
    return occurrence(cycle, context.now, n)


@action
def recent(context: Context, cycle: Cycle) -> Span | None:
    """The latest occurrence that is over ("last Friday" is never today)."""
    return latest(cycle, floor(context.now, "day"), ended=True)


@action
def upcoming(context: Context, cycle: Cycle) -> Span | None:
    """The first occurrence that starts after today ("next June")."""
    return following(cycle, floor(context.now, "day") + timedelta(days=1))


@action
def turned(context: Context, n: int, cycle: Cycle) -> Span | None:
    """The latest occurrence (`n` below 0), the one of the current unit (0) or the next: "vendredi dernier"."""
    if n == 0:
        return occurrence(cycle, context.now)
    today = floor(context.now, "day")
    return latest(cycle, today, ended=True) if n < 0 else following(cycle, today + timedelta(days=1))


@pure
def within(cycle: Cycle, span: Span) -> Span | None:
    """The occurrence inside an enclosing range ("June" in "next year")."""
    if span.grain in CLOCK_GRAINS or span.grain == "open":
        return None
    return inside(cycle, span)


@pure
def both(a: Cycle, b: Cycle) -> Cycle | None:
    """Two names of one time ("Friday 22 June", "June weekend"): the finer one inside the coarser one."""
    if a.unit == b.unit:
        return None
    if a.unit == "week" and b.grain == "day":
        return b
    if b.unit == "week" and a.grain == "day":
        return a
    return None


@action
def soft_days(context: Context, before: int, after: int = 0) -> Span:
    """A vague period around today ("recently", "the other day"); never explicit."""
    today = floor(context.now, "day")
    if after:
        return Span(context.now, today + timedelta(days=after), "period", explicit=False)
    return Span(today - timedelta(days=before), context.now, "period", explicit=False)


@action
def since(context: Context, a: Time) -> Span | None:
    """From the start of a time on."""
    return _open_from(context, latest(a, context.now) if isinstance(a, Cycle) else a)


@action
def onward(context: Context, a: Time) -> Span | None:
    """From the start of a time on, which may lie ahead ("from 1 July onwards", "no earlier than March")."""
    return _open_from(context, settle(context, a))


def _open_from(context: Context, span: Span | None) -> Span | None:
    if span is None or span.grain == "days":  # "from 3 to 5 May" is not "from" of "3 to 5 May"
        return None
    return Span(span.start, far(context.now, FAR_FUTURE_YEAR), "open", span.explicit)


@action
def after(context: Context, a: Time) -> Span | None:
    """From the end of a time on."""
    span = settle(context, a)
    return Span(span.end, far(context.now, FAR_FUTURE_YEAR), "open", span.explicit) if span else None


@action
def before(context: Context, a: Time) -> Span | None:
    """Up to the start of a time."""
    span = settle(context, a)
    return Span(far(context.now, FAR_PAST_YEAR), span.start, "open", span.explicit) if span else None


@action
def until(context: Context, a: Time) -> Span | None:
    """Up to and including a time."""
    span = settle(context, a)
    return Span(far(context.now, FAR_PAST_YEAR), span.end, "open", span.explicit) if span else None


@action
def due(context: Context, a: Time) -> Span | None:
    """Up to and including a time that lies ahead: "no later than 30 June" is a deadline."""
    span = settle(context if context.past else replace(context, forward=True), a)
    return Span(far(context.now, FAR_PAST_YEAR), span.end, "open", span.explicit) if span else None


@action
def between(context: Context, a: Time, b: Time, whole: Span | None = None) -> Span | None:
    """From the start of one time through the end of another, which is included.

    If one side recurs, its occurrence nearest to the other side is used, or the first in `whole`.
    """
    if isinstance(a, Cycle) and isinstance(b, Cycle) and _SIZES.get(a.unit, 0) < _SIZES.get(b.unit, 0):
        b = settle(context, b) or b  # "from the 13th to the 15th of July": July decides
    if whole and isinstance(a, Cycle):
        first = inside(a, whole)
    elif isinstance(a, Cycle):
        first = settle(context, a) if isinstance(b, Cycle) else latest(a, b.start)
    else:
        first = a
    if first is None:
        return None
    last = following(b, first.start) if isinstance(b, Cycle) else b
    if last is None or last.end <= first.start or "open" in (first.grain, last.grain):
        return None
    grain = "part" if last.grain in CLOCK_GRAINS else "period"
    # "From 3 pm to 5 pm" ends at 5, but "from Monday to Friday" ends with Friday.
    clocks = {first.grain, last.grain} <= {"hour", "minute"} and first.start < last.start
    return Span(first.start, last.start if clocks else last.end, grain, first.explicit and last.explicit)


@action
def before_after(context: Context, a: Time, b: Time) -> Span | None:
    """From the end of one time to the start of another ("after 2010, before 2018")."""
    first, last = settle(context, a), settle(context, b)
    if first is None or last is None or last.start <= first.end:
        return None
    return Span(first.end, last.start, "period", first.explicit and last.explicit)
