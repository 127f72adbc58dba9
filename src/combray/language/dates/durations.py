"""Actions over counted units and parts of periods.

"3 days ago" is that day and "2 hours ago" that hour. "Two weeks ago", "a month ago" and "two years ago" are the
calendar week, month and year of that moment, and are not explicit: they are precise to half a unit.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from combray.language.dates.actions import Context, Time, action, full_year, pure, settle
from combray.language.dates.spans import (
    CLOCK_GRAINS,
    FAR_FUTURE_YEAR,
    FAR_PAST_YEAR,
    MINUTES,
    MONTHS,
    Bounds,
    Cycle,
    Span,
    far,
    floor,
    inside,
    shift,
    unit_span,
)

Duration = tuple[tuple[float, str], ...]

# Parts of a week in days from Monday and of a month in days from the first. Early and late are halves and the
# middle of a week is Tuesday to Friday. Source: https://github.com/microsoft/Recognizers-Text (Specs).
WEEK_PARTS = {"early": (0, 3), "mid": (1, 5), "late": (3, 7)}
MONTH_PARTS = {"early": (0, 15), "mid": (9, 20), "late": (15, 31)}
# The ten-day parts of a month, 上旬 中旬 下旬.
MONTH_PARTS |= {"first ten": (0, 10), "second ten": (10, 20), "third ten": (20, 31)}
# Parts of a year, in twelfths: "early 2020" is a half, "the beginning of 2020" a third.
YEAR_PARTS = {"early": (0, 6), "mid": (4, 8), "late": (6, 12), "begin": (0, 4), "end": (8, 12)}
# Parts of seasons, quarters, decades and longer, in thirds.
OTHER_PARTS = {"early": (0, 1), "mid": (1, 2), "late": (2, 3)}
SAME_PART = {"begin": "early", "end": "late"}


@pure
def count(n: float, unit: str) -> Duration | None:
    """A duration of one unit: "3 days", "half a year"."""
    if getattr(n, "width", 0) == 2 and n < 10:
        return None  # "07年以后" is after 2007
    # "2008年前" is "before 2008", not two thousand years ago.
    return ((float(n), unit),) if 0 < n < (500 if unit in MONTHS else 10000) else None


@pure
def longer(a: Duration, b: Duration) -> Duration:
    """A duration of several units: "2 years 1 month"."""
    return a + b


@pure
def and_half(n: float, unit: str) -> Duration:
    """A number of units and a half: "một năm rưỡi", 两年半."""
    return ((n + 0.5, unit),)


def _moved(moment: datetime, duration: Duration, sign: int) -> datetime:
    # Large units first, so that "1 month 21 days" does not depend on the order of the words.
    order = [*MINUTES, *MONTHS]
    for amount, unit in sorted(duration, key=lambda part: -order.index(part[1])):
        moment = shift(moment, sign * amount, unit)
    return moment


def _grain(duration: Duration) -> str:
    """The unit a distance is precise to: its finest one, or the next finer one when it has a half."""
    order = [*MINUTES, *MONTHS]
    amount, unit = min(duration, key=lambda part: order.index(part[1]))
    if unit == "fortnight":
        return "week"
    if amount != int(amount):
        return {"hour": "minute", "day": "hour", "week": "day", "month": "week"}.get(unit, "month")
    return unit


@action
def away(
    context: Context,
    d: Duration,
    sign: int,
    soft: bool = False,
    base: Time | None = None,
    whole: bool = False,
) -> Span | None:
    """The time at a duration before (`sign` -1) or after (+1) now or `base`.

    With a base, the result is that day, or the `whole` unit ("the week after Christmas").
    """
    grain = _grain(d)
    origin = settle(context, base) if base else None
    if origin:
        return unit_span(_moved(origin.start, d, sign), grain if whole else "day")
    exact = grain in CLOCK_GRAINS or grain == "day"
    found = unit_span(_moved(context.now, d, sign), grain, explicit=exact and not soft)
    return found._replace(counted=not (exact or soft))


@action
def weekdays_away(context: Context, n: int, cycle: Cycle, sign: int) -> Span | None:
    """The n-th such weekday before or after today ("two Sundays from now")."""
    day = floor(context.now, "day") + timedelta(days=sign)
    for _ in range(7):
        bounds = cycle.build(floor(day, "week"))
        if cycle.unit != "week" or bounds is None:
            return None
        if bounds[0] == day:
            return unit_span(day + timedelta(days=7 * sign * (int(n) - 1)), "day")
        day += timedelta(days=sign)
    return None


@action
def window(context: Context, d: Duration, sign: int, soft: bool = False) -> Span:
    """The period of a duration that ends now ("the last 3 days") or starts tomorrow ("the next 3 days").

    Decades are calendar decades, as in "the next decade".
    """
    grain = _grain(d)
    amount, unit = d[0]
    now = context.now
    if unit in ("decade", "century"):
        round_start = floor(now, unit)
        first = round_start if sign < 0 else shift(round_start, 1, unit)
        low, high = sorted((first, shift(first, sign * amount, unit)))
        return Span(low, high, unit)
    if grain in CLOCK_GRAINS:
        low, high = sorted((now, _moved(now, d, sign)))
        return Span(low, high, grain, not soft)
    today = floor(now, "day")
    if sign < 0:
        return Span(_moved(today, d, -1), now if now > today else today, "period", not soft)
    tomorrow = today + timedelta(days=1)
    return Span(tomorrow, _moved(tomorrow, d, 1), "period", not soft)


@action
def reach(context: Context, d: Duration, base: Time | None = None) -> Span | None:
    """From today, or from the start of `base`, for a duration ("within 5 days", "3 days from Monday")."""
    origin = settle(context, base) if base else None
    start = origin.start if origin else floor(context.now, "day")
    return Span(start, _moved(start, d, 1), "period")


@action
def nth(context: Context, n: int, unit: str, span: Time) -> Span | None:
    """The n-th day, week, month, quarter or weekend of a longer time; n = -1 for the last.

    Week 1 is the first week with its Thursday inside (ISO 8601, also for months).
    """
    whole = settle(context, span)
    if whole is None or whole.grain in CLOCK_GRAINS or n == 0:
        return None
    if unit == "week":
        first = floor(whole.start + timedelta(days=3), "week")
        last = floor(whole.end - timedelta(days=4), "week")
    elif unit == "weekend":
        first = floor(whole.start + timedelta(days=1), "week")
        last = floor(whole.end - timedelta(days=7), "week")
    else:
        first, last = floor(whole.start, unit), floor(whole.end - timedelta(minutes=1), unit)
    start = shift(first, n - 1, unit) if n > 0 else shift(last, n + 1, unit)
    found = unit_span(start, unit)
    return found if whole.start - timedelta(days=4) < found.start < whole.end else None


@action
def leading(context: Context, d: Duration, span: Time, n: int = 1) -> Span | None:
    """The first (`n` 1) or last (-1) part of a period, by its length ("the first two weeks of March")."""
    whole = settle(context, span)
    if whole is None or n not in (1, -1) or whole.grain in CLOCK_GRAINS or whole.grain in ("day", "open"):
        return None
    edge_of = _moved(whole.start if n > 0 else whole.end, d, n)
    if not whole.start < edge_of < whole.end:
        return None
    low, high = (whole.start, edge_of) if n > 0 else (edge_of, whole.end)
    return Span(low, high, "period", whole.explicit)


@action
def fraction(context: Context, n: int, parts: int, span: Time) -> Span | None:
    """The n-th half or third of a period; n = -1 for the last. In months if they divide, else in days."""
    whole = settle(context, span)
    if whole is None or whole.grain in CLOCK_GRAINS or whole.grain in ("day", "open"):
        return None
    index = parts + n if n < 0 else n - 1
    if not 0 <= index < parts:
        return None
    months = (whole.end.year - whole.start.year) * 12 + whole.end.month - whole.start.month
    if whole.start.day == 1 and months and months % parts == 0:
        start, end = (shift(whole.start, months * k // parts, "month") for k in (index, index + 1))
    else:
        days = (whole.end - whole.start).days
        start, end = (whole.start + timedelta(days=days * k // parts) for k in (index, index + 1))
    return Span(start, end, "period", whole.explicit) if start < end else None


@action
def beyond(context: Context, d: Duration, sign: int) -> Span:
    """All that lies farther away than a duration ("more than two years ago")."""
    moment = _moved(context.now, d, sign)
    if _grain(d) not in CLOCK_GRAINS:
        moment = floor(moment, "day")
    if sign < 0:
        return Span(far(context.now, FAR_PAST_YEAR), moment, "open")
    return Span(moment, far(context.now, FAR_FUTURE_YEAR), "open")


@action
def nth_weekday(context: Context, n: int, cycle: Cycle, span: Time | None = None) -> Time | None:
    """The n-th such weekday of a month or year (by default of this month); n = -1 for the last."""
    if span is None:
        span = unit_span(context.now, "month")
    if cycle.unit != "week":
        return None

    def build(start: datetime, end: datetime) -> Bounds | None:
        found: list[Bounds] = []
        week = floor(start, "week")
        while week < end:
            bounds = cycle.build(week)
            if bounds and start <= bounds[0] < end:
                found.append(bounds)
            week += timedelta(days=7)
        index = n - 1 if n > 0 else n
        return found[index] if -len(found) <= index < len(found) else None

    if isinstance(span, Span):
        bounds = build(span.start, span.end)
        return Span(*bounds, cycle.grain) if bounds and span.grain not in CLOCK_GRAINS else None

    def rebuild(start: datetime) -> Bounds | None:
        outer = span.build(start)
        return build(*outer) if outer else None

    return Cycle(span.unit, rebuild, cycle.grain) if span.grain not in CLOCK_GRAINS else None


@action
def week_of_year(context: Context, n: int) -> Span | None:
    """ISO week `n` of this year."""
    return nth(context, n, "week", unit_span(context.now, "year")) if 1 <= n <= 53 else None


@action
def unit_of(context: Context, unit: str, span: Time) -> Span | None:
    """The unit that holds a time ("the week of May 8")."""
    found = settle(context, span)
    return unit_span(found.start, unit) if found and found.grain != "open" else None


@action
def edge(context: Context, e: str, span: Time | None = None, unit: str = "year") -> Span | None:
    """The early, middle or late part of a period (by default of the current `unit`), its beginning or end."""
    whole = settle(context, span) if span else unit_span(context.now, unit)
    if whole is None or whole.grain in CLOCK_GRAINS or whole.grain in ("day", "days", "open", "period"):
        return None
    days = (whole.end - whole.start).days
    part = SAME_PART.get(e, e)
    if days <= 31:
        named = WEEK_PARTS if days <= 7 else MONTH_PARTS
        if part not in named:
            return None
        low, high = named[part]
        start, end = whole.start + timedelta(days=low), whole.start + timedelta(days=min(high, days))
    else:
        named, piece, pieces = (YEAR_PARTS, e, 12) if whole.grain == "year" else (OTHER_PARTS, part, 3)
        if piece not in named:
            return None
        parts = named[piece]
        months = (whole.end.year - whole.start.year) * 12 + whole.end.month - whole.start.month
        start = shift(whole.start, months * parts[0] // pieces, "month")
        end = shift(whole.start, months * parts[1] // pieces, "month")
    return Span(start, end, "period", whole.explicit) if start < end else None


@action
def so_far(context: Context, unit: str) -> Span | None:
    """The current unit, up to now ("earlier this month")."""
    whole = unit_span(context.now, unit)
    return Span(whole.start, context.now, "period") if context.now > whole.start else None


@action
def still(context: Context, unit: str) -> Span:
    """The rest of the current unit, from today on ("later this month")."""
    return Span(floor(context.now, "day"), unit_span(context.now, unit).end, "period")


@action
def days_of(context: Context, a: int, b: int, span: Time, y: int | None = None) -> Span | None:
    """From day `a` through day `b` of a month, perhaps of a given year ("4 to 22 June")."""
    if y is not None and isinstance(span, Cycle):
        span = inside(span, unit_span(context.now.replace(year=full_year(y), month=1, day=1), "year")) or span
    month = settle(context, span)
    if month is None or month.grain != "month" or not 1 <= a < b <= (month.end - month.start).days:
        return None
    return Span(month.start + timedelta(days=a - 1), month.start + timedelta(days=b), "days", month.explicit)
