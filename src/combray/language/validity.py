"""The time in which a statement holds, as its words give it: "until March 2019", "from 1 June".

Nothing is guessed: a date that is absent, vague or ambiguous gives no limit.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from combray.language.caches import from_tables
from combray.language.dates.detection import has_time_expression
from combray.language.folding import plain
from combray.language.tense import Tense, lead_of, words_of

if TYPE_CHECKING:
    from combray.language.dates.resolution import TimeExpression

T = TypeVar("T")
Validity = tuple[datetime | None, datetime | None]
"""From when (inclusive) and until when (exclusive) something holds; None for no limit."""

_DISTANCE = re.compile(
    r"\b(?:day|week|fortnight|month|quarter|year|ngày|ngay|tuần|tuan|tháng|thang|năm|nam)s?\b|[天日周週月年]|\d"
)
"""Words of distances ("in two weeks"), which `has_time_expression` does not know."""
_NEVER: Validity = (None, None)
_FAR_PAST, _FAR_FUTURE = 1500, 2500
_DAY = timedelta(days=1)
_YEAR = timedelta(days=366)
_YEARS = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_DIGIT = re.compile(r"[\d一二三四五六七八九十]")


class _Times(NamedTuple):
    """Times of a sentence by what they are: starts and ends of its validity, and others."""

    starts: list[datetime]
    ends: list[datetime]
    ranges: list[tuple[datetime, datetime]]
    others: list[datetime]
    near: list[datetime]
    """Others that are words alone, as "Tuesday" is: "next month we meet on Tuesdays" begins next month."""


def validity_of(text: str, tense: Tense, said_at: datetime) -> Validity:
    """Return the validity of a text of this tense that was said at a moment (aware).

    A past statement ends at the time it names, at the latest when it was said. A planned one begins at the one
    date that it names, and a present one at the date after "since". "Until Friday" ends with that day.
    """
    if tense not in ("present", "past", "planned"):
        return _NEVER
    lead = lead_of(text)
    # The tests are cheap, and the grammars are not.
    if tense == "past" and not has_time_expression(lead):
        return None, said_at
    if tense == "present" and not (_marks()["limits"].search(plain(lead)) and has_time_expression(lead)):
        return _NEVER
    if tense == "planned" and not (has_time_expression(lead) or _DISTANCE.search(plain(lead))):
        return _NEVER
    if tense == "past":
        found = _times(lead, said_at, forward=False)
        end = _only(found.ends)
        since, until = _only(found.ranges) or (None, end)
        return since, min(until, said_at) if until else said_at
    ahead = _times(lead, said_at, forward=True)
    end = _only(each for each in ahead.ends if each > said_at)
    if tense == "planned":
        # "From Monday to Friday" is a plan's time; in the present it is a habit.
        starts = [_coming(each, said_at, lead) for each in ahead.starts]
        # "From 1 June I work Monday to Thursday" begins in June.
        dates = [each for each in (starts or ahead.others or ahead.near) if each > said_at]
        ranged = None if starts else _only(ahead.ranges)
        return ranged or (_only(dates), end)
    behind = _times(lead, said_at, forward=False)
    # "As of 3 May" is this year's or last year's: only a date that reads the same both ways is certain.
    start = _only(behind.starts)
    return start if start in ahead.starts else None, end


def _only(dates: Iterable[T]) -> T | None:
    distinct = set(dates)
    return distinct.pop() if len(distinct) == 1 else None


def _coming(start: datetime, said_at: datetime, lead: str) -> datetime:
    """Return the start of a plan: "from 1 April", said in May and without a year, is in the next year."""
    if start > said_at or said_at - start > _YEAR or _YEARS.search(lead) or (start.month, start.day) == (2, 29):
        return start
    return start.replace(year=start.year + 1)


def _times(lead: str, said_at: datetime, *, forward: bool) -> _Times:
    # The grammars take 50 ms to build: a text without a date must not pay for them.
    from combray.language.dates.resolution import resolve

    found = _Times([], [], [], [], [])
    for each in resolve(lead, said_at, forward=forward):
        _sort(each, lead, said_at, found)
    return found


def _sort(each: TimeExpression, lead: str, said_at: datetime, found: _Times) -> None:
    marks = _marks()
    words = plain(each.text)
    if marks["bounding"].match(words):
        return
    before, after = plain(lead[: each.span[0]]), plain(lead[each.span[1] :])
    if each.kind == "open":
        if each.start.year < _FAR_PAST:
            _add(found.ends, each.end)
        elif each.end.year > _FAR_FUTURE:
            _add(found.starts, each.start)
        return
    if each.kind == "period" and marks["ranging"].match(words):
        found.ranges.append((each.start, each.end))
        return
    start = each.start if each.explicit else _same_place(each, said_at)
    if start is None:
        return
    if marks["ending"].search(before):
        _add(found.ends, each.end)
    elif marks["starting"].search(before) or marks["starting_after"].match(after):
        _add(found.starts, start)
    elif each.kind != "time" or start.date() != said_at.date():
        (found.others if each.kind == "period" or _DIGIT.search(words) else found.near).append(start)


def _add(dates: list[datetime], moment: datetime) -> None:
    # A time of day ("until eight") limits every day, not the validity.
    if (moment.hour, moment.minute) == (0, 0):
        dates.append(moment)


def _same_place(each: TimeExpression, said_at: datetime) -> datetime | None:
    """Return the day "in two weeks", "in a month" or "in a year" from now; None for vague words."""
    length = each.end - each.start
    day = said_at.replace(hour=0, minute=0, second=0, microsecond=0)
    if length == 7 * _DAY:
        return each.start + timedelta(days=day.weekday())
    whole_month = each.start.day == each.end.day == 1
    if not whole_month:
        return None
    if length <= 31 * _DAY:
        return min(each.start + timedelta(days=day.day - 1), each.end - _DAY)
    if each.end.year == each.start.year + 1 and each.start.month == 1 and (day.month, day.day) != (2, 29):
        return day.replace(year=each.start.year)
    return None


@from_tables
def _marks() -> dict[str, re.Pattern[str]]:
    """Return patterns of the words around a date: before it up to its first letter, or from its last one on."""
    listed = {
        kind: "|".join(words_of(kind)) for kind in ("starting", "starting_after", "ending", "ranging", "bounding")
    }
    before = {kind: re.compile(rf"(?:{listed[kind]})\s*$") for kind in ("starting", "ending")}
    inside = {kind: re.compile(listed[kind]) for kind in ("ranging", "bounding", "starting_after")}
    limits = "|".join(listed[kind] for kind in ("starting", "starting_after", "ending"))
    return before | inside | {"limits": re.compile(limits)}
