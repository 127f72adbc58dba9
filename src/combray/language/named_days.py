"""Which days a text names."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from combray.language.dates.resolution import TimeExpression

_WEEK = timedelta(days=7)


def names_a_day(text: str, after: datetime | None = None) -> bool:
    """Return whether a text names a day of the calendar ("18 June"), not one that repeats or a time of day.

    With `after` only a day behind that moment counts.
    """
    # The grammars take 50 ms to build.
    from combray.language.dates.resolution import resolve

    now = after or datetime.fromtimestamp(0, UTC)
    found = resolve(text, now, forward=True if after else None)
    return any(_is_day(each, now) and (after is None or each.start > after) for each in found if each.explicit)


def _is_day(each: TimeExpression, now: datetime) -> bool:
    # With a time of day: "18 June at 10", but not "Friday at 10", which is never a week away.
    named = each.kind == "date" or (each.kind == "time" and abs(each.start - now) > _WEEK)
    return named and any(map(str.isdigit, each.text))
