"""When something happened, as a statement says: "I saw the dentist three days ago", said on a day.

Nothing is guessed: a text with no date, a vague one, several, or one ahead names no event.
"""

from __future__ import annotations

from datetime import datetime

from combray.language.dates.detection import has_time_expression
from combray.language.dates.direction import is_ahead, resolve_stated
from combray.language.tense import Tense, lead_of

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
