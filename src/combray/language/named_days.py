"""Which days a text names, and on which side of a moment they lie."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from combray.language.dates.resolution import TimeExpression

_WEEK = timedelta(days=7)
_SOON = timedelta(days=5)
"""A nearer time ("on Tuesday", "this weekend") is mostly that of an event."""


def names_a_day(text: str, after: datetime | None = None) -> bool:
    """Return whether a text names a day of the calendar ("18 June"), not one that repeats or a time of day.

    With `after` only a day behind that moment counts.
    """
    # The grammars take 50 ms to build.
    from combray.language.dates.resolution import resolve

    now = after or datetime.fromtimestamp(0, UTC)
    for each in resolve(text, now, forward=True if after else None):
        # With a time of day: "18 June at 10", but not "Friday at 10", which is never a week away.
        is_day = each.kind == "date" or (each.kind == "time" and abs(each.start - now) > _WEEK)
        is_named = is_day and each.explicit and any(map(str.isdigit, each.text))
        if is_named and (after is None or each.start > after):
            return True
    return False


def first_ahead(text: str, said_at: datetime, *, vague: bool = False) -> datetime | None:
    """Return the first day of the calendar that a text names and that lay ahead when it was said, if any.

    With `vague` also the start of another time that was at least five days ahead ("in September", "next month").
    """
    # The grammars take 50 ms to build.
    from combray.language.dates.resolution import resolve

    def counts(each: TimeExpression) -> bool:
        if vague and each.start - said_at >= _SOON:
            return True
        is_day = each.kind in ("date", "open") or (each.kind == "time" and each.start - said_at > _WEEK)
        return is_day and any(map(str.isdigit, each.text))

    found = resolve(text, said_at, forward=True)
    return min(
        (each.start for each in found if each.explicit and each.start > said_at and counts(each)), default=None
    )


def lies_behind(text: str, said_at: datetime) -> bool:
    """Return whether every time that a text names lies before the moment it was said: "I moved last week"."""
    # The grammars take 50 ms to build.
    from combray.language.dates.resolution import resolve

    # "Dinner on Friday" may lie ahead.
    found = resolve(text, said_at, forward=True)
    return bool(found) and all(each.end <= said_at for each in found)
