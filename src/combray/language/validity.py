"""When a statement holds, when its event happened, and which days it names, as its words say.

"Until March 2019" and "from 1 June" limit a validity; "I saw the dentist three days ago", said on a day, is an
event. Nothing is guessed: a date that is absent, vague or ambiguous gives no limit, and a text with no date, a
vague one, several, or one ahead names no event.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from combray.language.dates.detection import has_time_expression
from combray.language.dates.statements import is_ahead, resolve_stated
from combray.language.folding import plain
from combray.language.tense import (
    LEAD,
    Tense,
    claim_of,
    lead_of,
    pattern_of,
    says_put_off,
    sentences_of,
)
from combray.language.text import passing, plain_of

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
_WEEK = timedelta(days=7)
_YEAR = timedelta(days=366)
_MOMENT = timedelta(seconds=1)
_FAR_AHEAD = timedelta(days=270)
"""A date without a year that would lie farther ahead may as well be the last one."""
_NEAR = timedelta(days=90)
"""A date without a year that lies at most so far ahead is that one, and not the one nine months before."""
_YEARS = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_DIGIT = re.compile(r"[\d一二三四五六七八九十]")


class _Times(NamedTuple):
    """Times of a sentence by what they are: starts and ends of its validity, and others."""

    starts: list[datetime]
    ends: list[datetime]
    ranges: list[tuple[datetime, datetime]]
    dated: list[tuple[datetime, datetime]]
    """Those ahead that lie between two days of the calendar: "from 4 to 22 August". Weekdays are a habit."""
    weekdays: list[datetime]
    """Starts without a date: "beginning Tuesday"."""
    days: list[datetime]
    """Single days with a digit: "9 February"."""
    others: list[datetime]
    """Other times: "July", "in two weeks", "Tuesday"."""
    latest: list[datetime]
    """When a time is over of which only the end is certain: "by the end of June", "this spring"."""

    def best(self) -> list[datetime]:
        """Return the dates that a plan begins at, as far as they are known: those of a day before all others."""
        return self.starts or self.days or self.others or self.latest


def validity_of(text: str, tense: Tense, said_at: datetime) -> Validity:
    """Return the validity of a text of this tense that was said at a moment (aware).

    A past statement ends at the time it names, at the latest when it was said. A planned one begins at the one
    date that it names, or at the end of a time that it does not exceed ("by the end of June"). A present one
    begins at the date after "since", and one of a change ("we move on 3 June") on that day, if it lies ahead.
    "Until Friday" ends with that day. What is put off ("pushed to 3 June", "3 June instead of 12 May") begins on
    its new day, whichever sentence of the text says so.
    """
    if tense not in ("present", "past", "planned"):
        return _NEVER
    # Most texts name no time, and every sentence would be looked through.
    if tense != "past" and not _names_a_time(text[:LEAD]):
        return _NEVER
    lead = lead_of(text)
    since, until = _of_lead(lead, tense, said_at)
    if since is not None and until is not None and until <= since:
        # "From 1 June it's Hengda, the contract with Hongyuan ends in May": the end of another thing.
        until = None
    # "Put off from the 4th to 18 May" names no range.
    if (since is None or until is not None) and tense != "past" and (day := _put_off(text, said_at)):
        return day, None
    return since, until


def moves(new: str) -> bool:
    """Return whether a text puts off, calls off or corrects something."""
    return says_put_off(new) or claim_of(new).corrects


def _of_lead(lead: str, tense: Tense, said_at: datetime) -> Validity:
    # The tests are cheap, and the grammars are not.
    if tense == "past" and not (has_time_expression(lead) or _YEARS.search(lead)):
        return None, said_at
    if not _names_a_time(lead):
        return _NEVER
    if tense == "present" and not (
        has_time_expression(lead) and pattern_of("starting", "ending").search(plain(lead))
    ):
        return _of_a_change(lead, said_at)
    if tense == "past":
        found = _times(lead, said_at, forward=False)
        end = _only(found.ends)
        since, until = _only(found.ranges) or (None, end)
        # "Fixed until 2029", said in 2025, is about the present.
        return since, until or said_at
    ahead = _times(lead, said_at, forward=True)
    end = _only(each for each in ahead.ends if each > said_at)
    if tense == "planned":
        # "From Monday to Friday" is a plan's time; in the present it is a habit.
        ranged = None if ahead.starts else _only(ahead.ranges)
        # "From 1 June I work Monday to Thursday" begins in June.
        starts = [_coming(each, said_at, lead) for each in ahead.starts]
        if ranged:
            return ranged
        start = _only(each for each in (starts or ahead.best()) if each > said_at)
        # "Her last day is 28 February, Tomas takes over on 3 March": the date of the change.
        return start or _of_a_change(lead, said_at)[0], end
    if ahead.dated and not ahead.starts:
        return _only(ahead.dated) or _NEVER
    behind = _times(lead, said_at, forward=False)
    # "As of 3 May" is this year's or last year's: a date that reads the same both ways is certain, and so is one
    # that lies so near on one side.
    start = _only(behind.starts)
    if start is None or start not in ahead.starts:
        start = _of_a_change(lead, said_at)[0] or _nearer(_only(ahead.starts), said_at)
    return start, end


def _names_a_time(text: str) -> bool:
    return has_time_expression(text) or _DISTANCE.search(plain_of(passing(text))) is not None


def _nearer(start: datetime | None, said_at: datetime) -> datetime | None:
    """Return a start that lies ahead, if that is much nearer than the same day of the year before."""
    return start if start is not None and said_at < start <= said_at + _NEAR else None


def _put_off(text: str, said_at: datetime) -> datetime | None:
    """Return the day to which a text puts something off; None if it does not, or names several."""
    found: list[datetime] = []
    for sentence in sentences_of(text):
        if not _names_a_time(sentence):
            continue
        lowered = plain(sentence)
        swapped = pattern_of("swapped").search(lowered)
        postponed = pattern_of("postponed").search(lowered)
        if swapped or postponed:
            # "Scratch the 2 June thing, it is pushed to 30 June", "vom 2. Juni auf den 9. Juni verschoben".
            new = _new_day(sentence, postponed, said_at) if postponed else None
            if new is not None:
                found.append(new)
                continue
            times = _times(sentence, said_at, forward=True)
            # "Off until 10 April", "from the 4th to 18 April": the last day of that time is the new one.
            ends = [each - _DAY for each in (*times.ends, *(end for _, end in times.ranges))]
            found += times.starts or times.days or ends or times.others
    return _only(each for each in found if said_at < each <= said_at + _FAR_AHEAD)


def _new_day(sentence: str, postponed: re.Match[str], said_at: datetime) -> datetime | None:
    """Return the first day behind words of putting off, else the one among them; None for none."""
    for start in (postponed.end(), postponed.start()):
        times = _times(sentence[start:], said_at, forward=True)
        days = times.starts or times.days
        if days:
            return days[0]
    return None


def _of_a_change(lead: str, said_at: datetime) -> Validity:
    """Return the validity of "on 3 June we move": from the one date of a sentence with a word of change."""
    found = _coming_day(lead, said_at) if pattern_of("changing").search(plain(lead)) else None
    if found and (found - said_at <= _FAR_AHEAD or _YEARS.search(lead)):
        return found, None
    return _NEVER


def _coming_day(text: str, said_at: datetime) -> datetime | None:
    times = _times(text, said_at, forward=True)
    return _only(each for each in times.starts or times.days or times.others if each > said_at)


def _only(dates: Iterable[T]) -> T | None:
    distinct = set(dates)
    return distinct.pop() if len(distinct) == 1 else None


def _coming(start: datetime, said_at: datetime, lead: str) -> datetime:
    """Return the start of a plan: "from 1 April", said in May and without a year, is in the next year.

    "Starting Monday", said on a Monday, is the next one, and "starting today" the next moment.
    """
    if start.date() == said_at.date():
        from combray.language.dates.resolution import resolve

        # The day after, a weekday has moved by a week, and "today" by a day.
        moved = [each.start for each in resolve(lead, said_at + _DAY, forward=True) if each.start > start]
        return next((each for each in moved if each - start == _WEEK), said_at + _MOMENT)
    if start > said_at or said_at - start > _YEAR or _YEARS.search(lead) or (start.month, start.day) == (2, 29):
        return start
    return start.replace(year=start.year + 1)


def _times(lead: str, said_at: datetime, *, forward: bool) -> _Times:
    # The grammars take 50 ms to build: a text without a date must not pay for them.
    from combray.language.dates.resolution import resolve

    found = _Times([], [], [], [], [], [], [], [])
    for each in resolve(lead, said_at, forward=forward):
        _sort(each, lead, said_at, found)
    found.starts.extend(found.weekdays)
    return found


def _sort(each: TimeExpression, lead: str, said_at: datetime, found: _Times) -> None:
    words = plain(each.text)
    if pattern_of("bounding").match(words):
        if each.kind == "open" and each.start.year < _FAR_PAST:
            _add(found.latest, each.end)
        return
    before = plain(lead[: each.span[0]])
    if pattern_of("given_up", at_end=True).search(before):
        return
    if each.kind == "open":
        if each.start.year < _FAR_PAST:
            _add(found.ends, each.end)
        elif each.end.year > _FAR_FUTURE:
            _add(found.starts if _DIGIT.search(words) else found.weekdays, each.start)
        return
    if each.kind == "period" and pattern_of("ranging").match(words):
        found.ranges.append((each.start, each.end))
        if each.end - each.start >= _WEEK and each.start > said_at and _DIGIT.search(words):
            found.dated.append((each.start, each.end))
        return
    start = each.start if each.explicit else _same_place(each, said_at)
    # "I'll work four days, Monday to Thursday" names no day.
    weekdays = each.kind == "period" and 2 * _DAY < each.end - each.start < _WEEK and not _DIGIT.search(words)
    if start is None or weekdays:
        return
    if each.kind == "period" and (each.start <= said_at < each.end or pattern_of("closing").search(words)):
        found.latest.append(each.end)
        return
    if pattern_of("ending", at_end=True).search(before):
        _add(found.ends, each.end)
    elif pattern_of("starting", at_end=True).search(before):
        _add(found.weekdays if each.kind == "date" and not _DIGIT.search(words) else found.starts, start)
    elif each.kind != "time" or start.date() != said_at.date():
        (found.days if each.kind != "period" and _DIGIT.search(words) else found.others).append(start)


def _add(dates: list[datetime], moment: datetime) -> None:
    # A time of day ("until eight") limits every day, not the validity.
    if (moment.hour, moment.minute) == (0, 0):
        dates.append(moment)


def _same_place(each: TimeExpression, said_at: datetime) -> datetime | None:
    """Return the day "in two weeks", "in a month" or "in a year" from now; None for vague words."""
    length = each.end - each.start
    day = said_at.replace(hour=0, minute=0, second=0, microsecond=0)
    if length == _WEEK:
        return each.start + timedelta(days=day.weekday())
    whole_month = each.start.day == each.end.day == 1
    if not whole_month:
        return None
    if length <= 31 * _DAY:
        return min(each.start + timedelta(days=day.day - 1), each.end - _DAY)
    if each.end.year == each.start.year + 1 and each.start.month == 1 and (day.month, day.day) != (2, 29):
        return day.replace(year=each.start.year)
    return None


Event = tuple[datetime, datetime]
"""From when (inclusive) until when (exclusive) it happened."""
_STATED: tuple[Tense, ...] = ("present", "past")


def event_of(text: str, tense: Tense, said_at: datetime) -> Event | None:
    """Return when the event of a statement of this tense happened, which was said at a moment (aware).

    It is the one date of the sentence that decides the tense, if its clause says that it lies behind: a day, or
    a longer time. A date that only describes a thing ("the report of May") is none.
    """
    if tense not in _STATED:
        return None
    lead = lead_of(text)
    # The test is cheap, and the grammars are not.
    if not has_time_expression(lead):
        return None
    dates = [each for each in resolve_stated(lead, said_at, tense) if each.kind != "time"]
    if len({(each.start, each.end) for each in dates}) != 1:
        return None
    certain = all(each.kind in ("date", "period") and (each.explicit or each.counted) for each in dates)
    if not certain or any(is_ahead(lead, each.span, tense) is not False for each in dates):
        return None
    start, end = dates[0].start, min(dates[0].end, said_at)
    # The day on which it was said is known without it.
    return None if start >= end or (start <= said_at < dates[0].end and dates[0].kind == "date") else (start, end)


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
