"""Dates of a statement: turned by its tense, as the days that it names, and written in full.

"My appointment is Tuesday" lies ahead, "I saw her Tuesday" behind: a weekday or a date without a year names
many days. In a question it is the latest one. In a statement the tense of its clause decides. The words are
data (`tense` of a language). Days are relative to the moment at which the statement was said; "yesterday"
written in full is "yesterday (2023-05-07)".
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from combray.language.caches import from_tables
from combray.language.dates.detection import has_time_expression
from combray.language.dates.lexer import date_tables
from combray.language.folding import plain
from combray.language.marks import Lists
from combray.language.tense import Tense, clauses, pattern_of, respelt, tense_of
from combray.records import dataclass

if TYPE_CHECKING:
    from combray.language.dates.resolution import TimeExpression


_AROUND = 400
"""Characters on each side of a date, within its clause, whose verbs turn it."""


def resolve_stated(
    text: str, moment: datetime, tense: Tense | None = None, begins: datetime | None = None
) -> list[TimeExpression]:
    """Return the time expressions of a statement made at `moment`, in order, without overlaps.

    Like `dates.resolve`, but each clause looks forward or back by its verb. Pass `tense` if it is known, and
    `begins` if it is known from when the statement holds: "I live in Bern from 1 March".
    """
    # The grammars take 50 ms to build: a text without a date must not pay for them.
    from combray.language.dates.resolution import resolve

    found = resolve(text, moment)
    if not found:
        return found
    parts = clauses(text)
    wanted = [_is_ahead(text, parts, each.span, tense) for each in found]
    turned: dict[bool, dict[tuple[int, int], TimeExpression]] = {
        ahead: {each.span: each for each in resolve(text, moment, forward=ahead)}
        for ahead in set(wanted)
        if ahead is not None
    }
    if begins is not None and None in wanted:
        coming = turned.get(True) or {each.span: each for each in resolve(text, moment, forward=True)}
        starts = {span for span, each in coming.items() if each.start == begins}
        wanted = [
            True if ahead is None and each.span in starts else ahead
            for each, ahead in zip(found, wanted, strict=True)
        ]
        turned[True] = coming
    return [
        each if ahead is None else turned[ahead].get(each.span, each)
        for each, ahead in zip(found, wanted, strict=True)
    ]


def is_ahead(text: str, span: tuple[int, int], tense: Tense | None = None) -> bool | None:
    """Return whether a date at these offsets lies ahead of the moment at which the text was said.

    None if the words do not tell: a clause without a verb, or a date that only describes a thing ("the photos
    from Tuesday").
    """
    return _is_ahead(text, clauses(text), span, tense)


def _is_ahead(
    text: str, parts: Sequence[tuple[int, int]], span: tuple[int, int], tense: Tense | None
) -> bool | None:
    """Return `is_ahead`. `parts`: the clauses of the text."""
    start, end = parts[max(0, bisect_right(parts, (span[0], len(text))) - 1)]
    # A row of dates is one clause of any length, and is searched for each of them.
    start, end = max(start, span[0] - _AROUND), min(end, span[1] + _AROUND)
    before, after = plain(text[start : span[0]]), plain(text[span[1] : end])
    inside = plain(text[span[0] : span[1]])
    if pattern_of("attached").search(before) or after.startswith(("'s ", "s ")):
        return None
    if pattern_of("arranged").search(before) or pattern_of("arranged").match(inside):
        return True
    clause = respelt(f"{before} {inside} {after}")
    if pattern_of("happened").search(clause):
        return False
    if pattern_of("coming").search(clause):
        return True
    tense = tense or tense_of(text)
    if tense in ("planned", "past"):
        return tense == "planned"
    return None


def tells_of_past(words: str) -> bool:
    """Return whether words have a verb of what happened ("wrote", "has been"), whatever else they say."""
    return pattern_of("happened").search(respelt(plain(words))) is not None


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


_YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")
_DAY, _SEASON = timedelta(days=1), timedelta(days=80)


@dataclass(frozen=True, slots=True)
class DatedText:
    """A text with its dates in full.

    `start` is the start of the latest time named that had begun at `moment`; None if there is none.
    """

    text: str
    start: datetime | None = None


@from_tables
def _distances() -> Lists:
    return Lists({"distances": [word for table in date_tables().values() for word in table.distances]})


def dated(text: str, moment: datetime) -> DatedText:
    """Return the text with each relative date followed by its day, month, year or range in parentheses.

    `moment` is when the text was said; its tense decides whether "Tuesday" is ahead. Vague words ("recently")
    and dates with a year stay as they are; "two months ago" becomes "two months ago (about 2023-03)".
    """
    # The grammars take 50 ms to build: a text without a date must not pay for them.
    if not (_YEAR.search(text) or has_time_expression(text)):
        return DatedText(text)
    full, done, start = "", 0, None
    for found in resolve_stated(text, moment):
        distance = not found.explicit and _distances().of(found.text).has("distances")
        # "A summer job" names no particular summer.
        season = found.text.isalpha() and found.end - found.start > _SEASON
        if season or not (found.explicit or distance):
            continue
        last = found.span[1]
        full += text[done:last]
        done = last
        if _YEAR.search(found.text) is None and found.kind != "open":
            full += f" ({'about ' if distance else ''}{_spelt(found.start, found.end)})"
        began = found.start.year > 1000 and found.start <= moment
        if began and (start is None or found.start > start):
            start = found.start
    return DatedText(full + text[done:], start and start.astimezone(UTC))


def _spelt(start: datetime, end: datetime) -> str:
    """Return a range in its shortest form: 2023, 2023-05, 2023-05-07, or "2023-05-01 to 2023-05-07"."""
    last = (end - timedelta(microseconds=1)).date()
    if end - start <= _DAY:
        return start.date().isoformat()
    if (start.month, start.day, last.month, last.day) == (1, 1, 12, 31):
        return str(start.year) if start.year == last.year else f"{start.year} to {last.year}"
    if start.day == 1 and (last + _DAY).day == 1:
        month = f"{start:%Y-%m}"
        return month if (start.year, start.month) == (last.year, last.month) else f"{month} to {last:%Y-%m}"
    return f"{start.date().isoformat()} to {last.isoformat()}"
