"""Which days a text names, and on which side of a moment they lie."""

from __future__ import annotations

from collections.abc import Collection
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


def first_ahead(text: str, said_at: datetime) -> datetime | None:
    """Return the first day of the calendar that a text names and that lay ahead when it was said, if any."""
    # The grammars take 50 ms to build.
    from combray.language.dates.resolution import resolve

    ahead = [each for each in resolve(text, said_at, forward=True) if each.explicit and each.start > said_at]
    # "From 1 June on" is open.
    return min((each.start for each in ahead if _is_day(each, said_at, ("date", "open"))), default=None)


def lies_behind(text: str, said_at: datetime) -> bool:
    """Return whether every time that a text names lies before the moment it was said: "I moved last week"."""
    # The grammars take 50 ms to build.
    from combray.language.dates.resolution import resolve

    # "Dinner on Friday" may lie ahead.
    found = resolve(text, said_at, forward=True)
    return bool(found) and all(each.end <= said_at for each in found)


def _is_day(each: TimeExpression, now: datetime, kinds: Collection[str] = ("date",)) -> bool:
    # With a time of day: "18 June at 10", but not "Friday at 10", which is never a week away.
    named = each.kind in kinds or (each.kind == "time" and abs(each.start - now) > _WEEK)
    return named and any(map(str.isdigit, each.text))
