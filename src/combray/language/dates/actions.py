"""Actions of the rules in the date tables: their registry, and the actions for complete dates.

A table refers to an action by its function name. An action takes the `Context` and the named elements of its
pattern. It returns a value for the rule's symbol (a `Span`, a `Cycle`, a number), or None for an impossible date
such as 30 February. The modules recurrence, relative and durations contain the other actions.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from combray.language.dates.lexer import Numeral
from combray.language.dates.spans import Cycle, Span, far, following, latest, month_days, shift, unit_span
from combray.records import dataclass

ACTIONS: dict[str, Callable[..., Any]] = {}
Time = Span | Cycle


@dataclass(frozen=True, slots=True)
class Context:
    """The context of a reading.

    `forward`: the text speaks of the future; `orders`: the readings of a date in digits, first choice first;
    `past`: it speaks of the past, and no word of a date may turn it.
    """

    now: datetime
    forward: bool
    orders: tuple[str, ...]
    past: bool = False


def action(function: Callable[..., Any]) -> Callable[..., Any]:
    """Register a function as an action of the tables."""
    ACTIONS[function.__name__] = function
    return function


def settle(context: Context, time: Time) -> Span | None:
    """Return the latest occurrence of a cycle (the next one if the text looks forward)."""
    if isinstance(time, Span):
        return time
    if context.forward:
        current = latest(time, context.now)
        if current and current.end > context.now:
            return current
        return following(time, context.now)
    return latest(time, context.now)


def pure(function: Callable[..., Any]) -> Callable[..., Any]:
    """Register a function that does not take the context."""
    ACTIONS[function.__name__] = lambda _, **elements: function(**elements)
    return function


@pure
def same(x: Any) -> Any:
    """The element itself: for rules that only wrap words around a time."""
    return x


@pure
def ordinal(n: int, tens: int = 0) -> int | None:
    """An ordinal, perhaps with tens before it ("twenty" "second")."""
    return tens + n if n < 10 or not tens else None


def full_year(year: int) -> int:
    """Return the year of two digits: 00..49 are 20xx, 50..99 are 19xx."""
    width = getattr(year, "width", 0)
    if year >= 100 or width >= 3:
        return year
    return year + (2000 if year < 50 else 1900)


def in_calendar(year: int, month: int, day: int) -> bool:
    """Return whether a date exists."""
    return 1 <= year <= 9998 and 1 <= month <= 12 and 1 <= day <= month_days(year, month)


@action
def date(context: Context, y: int, m: int, d: int) -> Span | None:
    """A calendar date."""
    year = full_year(y)
    if getattr(y, "width", 0) in (1, 3) or not in_calendar(year, m, d):
        return None
    return unit_span(context.now.replace(year=year, month=m, day=d), "day")


@action
def digits_date(context: Context, a: Numeral, b: Numeral, c: Numeral, dotted: bool = False) -> Span | None:
    """A date of three numbers in the first order of the table that makes a date.

    With dots the day stands before the month: nobody writes March 5 as 03.05.2024.
    """
    for order in sorted(context.orders, key=lambda each: each == "mdy") if dotted else context.orders:
        parts = dict(zip(order, (a, b, c), strict=True))
        year = parts["y"]
        if year.width not in (2, 4):
            continue
        if order[0] != "y" and a > 31:
            continue
        # "10.2.1" is the number of a version.
        if dotted and order[0] == "y" and a.width == 2 and (b.width, c.width) != (2, 2):
            continue
        span: Span | None = date(context, year, parts["m"], parts["d"])
        if span:
            return span
    return None


@action
def year(context: Context, y: int) -> Span | None:
    """A calendar year."""
    return unit_span(context.now.replace(year=full_year(y), month=1, day=1), "year")


@action
def year_month(context: Context, y: int, m: int) -> Span | None:
    """A month of a year."""
    if not 1 <= m <= 12:
        return None
    return unit_span(context.now.replace(year=full_year(y), month=m, day=1), "month")


@action
def decade(
    context: Context,
    y: int,
    century: int | None = None,
    hundreds: int | None = None,
    offset: int | None = None,
) -> Span | None:
    """The ten years from `y` on; a short `y` ("90") is counted in the given century (20 for 19xx), from the
    given hundreds ("nineteen" nineties), in the century `offset` from now's, or is the latest that has begun.
    """
    if y % 10:
        return None
    if century is not None:
        y += (century - 1) * 100
    elif hundreds is not None:
        y += hundreds * (100 if hundreds < 100 else 1)
    elif offset is not None:
        y += (context.now.year // 100 + offset) * 100
    elif y < 100:
        y += context.now.year // 100 * 100
        y -= 100 if y > context.now.year else 0
    start = far(context.now, y)
    return Span(start, shift(start, 1, "decade"), "decade")


@action
def century(context: Context, n: int) -> Span | None:
    """The n-th century; like its decades it is counted from the round year."""
    if not 11 <= n <= 30:
        return None
    start = far(context.now, (n - 1) * 100)
    return Span(start, shift(start, 1, "century"), "century")
