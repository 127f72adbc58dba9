"""The times that a question names, as ranges: what a counted distance in weeks means, and ranges for people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from combray.language.dates import TimeExpression

_DAY, _WEEK, _HALF_WEEK = timedelta(days=1), timedelta(days=7), timedelta(days=3)


def around(found: TimeExpression, now: datetime) -> TimeExpression:
    """Return a counted distance in weeks as a plain range: its week, and half a week around the day itself.

    Said on a Sunday, "two weeks ago" ends a week of the calendar: the Monday after that day is meant as well.
    """
    if not found.counted or found.end - found.start != _WEEK or found.start > now:
        return found
    day = found.start + timedelta(days=now.weekday())
    since, until = min(found.start, day - _HALF_WEEK), max(found.end, day + _DAY + _HALF_WEEK)
    return replace(found, start=since, end=until, explicit=True)


def without(query: str, found: Sequence[TimeExpression]) -> str:
    """Return a query without these expressions, which are in its order."""
    for each in reversed(found):
        query = f"{query[: each.span[0]]} {query[each.span[1] :]}"
    return " ".join(query.split())


def in_words(found: TimeExpression) -> str:
    """The range for people: "2024-04-30", "2024-04-22 to 2024-04-28", with times where it has some."""
    if found.kind == "time":
        return f"{found.start:%Y-%m-%d %H:%M} to {found.end:%Y-%m-%d %H:%M}"
    first, last = found.start.date(), (found.end - _DAY).date()
    if found.kind == "open":
        return f"before {found.end.date()}" if found.start.year == 1000 else f"from {first}"
    return str(first) if last <= first else f"{first} to {last}"
