"""Days that a statement names, resolved relative to the moment at which it was said."""

from __future__ import annotations

from datetime import datetime, timedelta

from combray.language.dates.detection import has_time_expression
from combray.language.dates.direction import resolve_stated
from combray.records import dataclass

_LATER = timedelta(days=1000)
"""An expression is relative if it resolves to another date this much later; no calendar cycle is that long."""


@dataclass(frozen=True, slots=True)
class Dated:
    """A date expression, its place in the text, and its days: `first` inclusive, `end` exclusive."""

    text: str
    span: tuple[int, int]
    first: datetime
    end: datetime
    relative: bool

    def __str__(self) -> str:
        """Return ISO 8601: a day, a month, a year, or "DAY to DAY"."""
        last = self.end - timedelta(days=1)
        if last <= self.first:
            return f"{self.first:%Y-%m-%d}"
        if self.first.day == 1 and self.end.day == 1:
            if (self.first.month, self.end.month, self.end.year) == (1, 1, self.first.year + 1):
                return f"{self.first:%Y}"
            if last.month == self.first.month and last.year == self.first.year:
                return f"{self.first:%Y-%m}"
        return f"{self.first:%Y-%m-%d} to {last:%Y-%m-%d}"


def days_named(text: str, moment: datetime, begins: datetime | None = None) -> list[Dated]:
    """Return the days and longer periods in a statement, in order; times of day and open ranges are skipped.

    The tense decides whether "Tuesday" is the next or the last one, or `begins`, from when the statement holds.
    """
    if not has_time_expression(text):
        return []
    later = {each.span: each for each in resolve_stated(text, moment + _LATER)}
    found = []
    for each in resolve_stated(text, moment, begins=begins):
        if each.kind == "open" or (each.kind == "time" and any(char.isdigit() for char in each.text)):
            continue
        other = later.get(each.span)
        first = each.start.replace(hour=0, minute=0, second=0, microsecond=0)
        end = each.end if each.kind != "time" else first + timedelta(days=1)
        moved = other is None or other.start != each.start
        found.append(Dated(each.text, each.span, first, max(end, first + timedelta(days=1)), moved))
    return found


def edges_named(text: str, moment: datetime) -> list[tuple[str, datetime]]:
    """Return ranges with one open side ("before 9 June"), in order: their words and their bounded end."""
    if not has_time_expression(text):
        return []
    found = [each for each in resolve_stated(text, moment) if each.kind == "open"]
    return [(each.text, min(each.start, each.end, key=lambda edge: abs(edge - moment))) for each in found]
