"""Moments and ranges given alone: in settings, on the command line, in headers of transcripts."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from combray.language.dates.resolution import resolve

_FORMS = (
    "accepted forms: ISO 8601 (2026-03-01, 2026-03-01T13:56, 2026-03-01T13:56:00Z), a date in words "
    '("8 May 2023", "1:56 pm on 8 May, 2023"), or a relative one ("now", "yesterday", "3 days ago", '
    '"last week")'
)
_ISO_DAY = re.compile(r"\d{4}-\d{2}-\d{2}|\d{8}")
_INTERVAL = re.compile(r"\s*(?:\.\.|/)\s*(?=\d{4}-)")


def parse_moment(text: str, now: datetime | None = None, *, forward: bool | None = None) -> datetime:
    """Return the moment that `text` names, the start of a longer time ("yesterday" is yesterday 00:00).

    ISO 8601 texts keep their own offset; all others, and ISO texts without one, are in the time zone of
    `now` (default: the local time, aware). `forward`: "Friday" is the next one (True) or the latest (False).
    Raises ValueError with the accepted forms.
    """
    return parse_range(text, now, forward=forward)[0]


def parse_range(
    text: str, now: datetime | None = None, *, forward: bool | None = None
) -> tuple[datetime, datetime]:
    """Return the range `text` names, as (inclusive start, exclusive end); see `parse_moment`.

    Two ISO dates joined by ".." or "/" name the range from the first through the second. Raises ValueError.
    """
    moment = now if now is not None else datetime.now().astimezone()
    stripped = text.strip()
    if stripped.lower() == "now":
        return moment, moment + timedelta(seconds=1)
    sides = _INTERVAL.split(stripped)
    if len(sides) == 2:
        start, end = _iso(sides[0], moment), _iso(sides[1], moment)
        if start and end and start[0] < end[1]:
            return start[0], end[1]
    found = _iso(stripped, moment)
    if found:
        return found
    expressions = resolve(stripped, moment, forward=forward)
    if len(expressions) == 1:
        first, last = expressions[0].span
        # Punctuation may be around the expression, and a word of two letters ("on") before it.
        lead, tail = re.sub(r"[\s,.;:(]+", "", stripped[:first]), re.sub(r"[\s,.;:!?)]+", "", stripped[last:])
        if len(lead) <= 2 and not tail:
            return expressions[0].start, expressions[0].end
    raise ValueError(f"cannot read {text!r} as a time; {_FORMS}")


def _iso(text: str, now: datetime) -> tuple[datetime, datetime] | None:
    try:
        start = datetime.fromisoformat(text)
    except ValueError:
        return None
    if start.tzinfo is None:
        start = start.replace(tzinfo=now.tzinfo)
    length = timedelta(days=1) if _ISO_DAY.fullmatch(text) else timedelta(seconds=1)
    # "Until 9999-12-31" is used for "without end".
    last = datetime.max.replace(tzinfo=start.tzinfo)
    return start, last if last - start < length else start + length
