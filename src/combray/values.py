"""Single values: validation of arguments, times ("3 days ago"), ids.

Every check raises InvalidInputError with the field, the value and what to do.
"""

from __future__ import annotations

import os
import re
import threading
import time as clock
import unicodedata
import uuid
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from pathlib import Path
from typing import Any

from combray.errors import InvalidInputError, brief
from combray.language import dates

MAX_QUERY = 20_000
"""Characters of a query."""
MAX_LIMIT = 1_000
"""Hits of one recall."""
MAX_LABEL = 200
"""Characters of a source, author, session, and of a text that filters by one."""
MAX_ID = 64
"""Characters of an id."""
MAX_EVIDENCE = 10_000
"""Ids that a memory names as its evidence."""
MAX_METADATA = 100_000
"""Bytes of a memory's metadata as JSON."""
MAX_REASON = 2_000
"""Characters of the reason for a link."""
MAX_SUBTYPE = 100
"""Characters of the subtype of a link."""

DISTILLED = ("extraction", "consolidation")
"""Sources of facts that a language model found in episodes; earlier versions called it consolidation."""
MADE_BY = (*DISTILLED, "auto")
"""Sources of memories that Combray derives from episodes."""

_OF_MANY = "docs/howto/many-users.md shows how to keep the memories of many users in one store."
INSTEAD = {
    "user_id": f'Give tags=["scope:user:ID"], or use one namespace for each user. {_OF_MANY}',
    "agent_id": f'Give tags=["scope:agent:ID"]. {_OF_MANY}',
    "run_id": f'Give tags=["scope:custom:ID"], or a session. {_OF_MANY}',
    "role": 'Give messages {"role": "user", "content": "…"} to remember_many. Prompts are not stored.',
}
"""Names of fields and options in other libraries -> what to give instead."""

_USERINFO = re.compile(r"(://[^/?#\s:@]*):[^/?#\s]*@")
_PASSWORD = re.compile(r"((?:ssl)?password=)[^&\s]*")


def clean_text(field: str, value: Any, longest: int, remedy: str = "Shorten it.", of_another: str = "") -> str:
    """Return a storable text. Raises InvalidInputError for a wrong type, length, NUL or lone surrogate.

    `remedy`: for a text that is too long. `of_another`: for a value of another type.
    """
    if not isinstance(value, str):
        raise InvalidInputError(field, f"must be a string, not {show(value)}.", of_another)
    if len(value) > longest:
        raise InvalidInputError(field, f"has {len(value)} characters, at most {longest} are allowed.", remedy)
    if "\x00" in value:
        raise InvalidInputError(
            field, f"contains a NUL character at position {value.index(chr(0))}.", "Remove it."
        )
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InvalidInputError(
            field,
            f"is not valid Unicode at position {error.start} (a lone surrogate).",
            "Decode the text correctly.",
        ) from None
    return value


def one_of(field: str, value: Any, allowed: tuple[Any, ...]) -> Any:
    """Return the value, if it is allowed."""
    if value not in allowed:
        raise InvalidInputError(field, f"{show(value)} is not known.", f"Use one of: {', '.join(allowed)}.")
    return value


def whole(field: str, value: Any, least: int, most: int) -> int:
    """Return an integer in the range [least, most]."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidInputError(field, f"must be a whole number, not {show(value)}.")
    if not least <= value <= most:
        raise InvalidInputError(field, f"{brief(value)} is out of range.", f"Use {least} to {most}.")
    return value


def fraction(field: str, value: Any) -> float:
    """Return a number in [0, 1]."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0.0 <= value <= 1.0:
        raise InvalidInputError(field, f"must be a number from 0 to 1, not {show(value)}.")
    return float(value)


_SLOT = re.compile(r"[\w-]+(?:\.[\w-]+)*")
_LONGEST_SLOT = 200


def slot_name(value: Any) -> str | None:
    """Return a dotted name in lower case, None for None: names that differ in case are one slot."""
    if value is None:
        return None
    name = unicodedata.normalize("NFC", clean_text("slot", value, _LONGEST_SLOT).strip()).casefold()
    if not _SLOT.fullmatch(name):
        remedy = "Use names joined by dots, such as ana.city, of letters, digits, _ and -."
        raise InvalidInputError("slot", f"{brief(value)} is not a dotted name.", remedy)
    return name


def without_password(location: str) -> str:
    """Return a URL as messages may show it."""
    return _PASSWORD.sub(r"\1", _USERINFO.sub(r"\1@", location))


def is_loopback(host: str) -> bool:
    """Return whether a host name or address is this machine."""
    import ipaddress

    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def show(value: Any) -> str:
    """Return type and value for an error message, truncated to one line."""
    return "None" if value is None else f"{type(value).__name__} {brief(value)}"


def counted(number: int, one: str, several: str = "") -> str:
    """Return a number with its noun: "1 memory", "2 memories" (`several`; by default with an s)."""
    return f"{number} {one if number == 1 else several or one + 's'}"


# -- moments ------------------------------------------------------------------------------------

LONGEST_MOMENT = 500
"""Characters of a time in words. A longer text is not a time."""


class _Machine(tzinfo):
    """The time zone of the machine where it has no table of it, with daylight saving time."""

    def utcoffset(self, moment: datetime | None) -> timedelta | None:
        """Return the offset at a moment; None for a time of day."""
        if moment is None:
            return None
        try:
            return moment.replace(tzinfo=None).astimezone().utcoffset()
        except (OSError, OverflowError, ValueError):
            # A year that the machine's tables do not have.
            return datetime.now().astimezone().utcoffset()

    def dst(self, moment: datetime | None) -> timedelta | None:
        """Return None: the share of daylight saving time is not known."""
        del moment
        return None

    def tzname(self, moment: datetime | None) -> str | None:
        """Return the abbreviation at a moment."""
        return None if moment is None else moment.replace(tzinfo=None).astimezone().tzname()

    def fromutc(self, moment: datetime) -> datetime:
        """Return the local time of a moment whose fields are UTC."""
        try:
            shown = moment.replace(tzinfo=UTC).astimezone()
        except (OSError, OverflowError, ValueError):
            return moment + (self.utcoffset(moment) or timedelta())
        local = shown.replace(tzinfo=self, fold=0)
        # The second of two equal times, when the clock is put back.
        return local if local.utcoffset() == shown.utcoffset() else local.replace(fold=1)


def read_zone(name: str) -> tzinfo:
    """Return the time zone of an IANA name; of the machine for "". Raises InvalidInputError."""
    if name.upper() == "UTC" or not (name or clock.timezone or clock.daylight):
        return UTC
    # Takes milliseconds to import.
    from zoneinfo import ZoneInfo

    if not name:
        return _machine()
    try:
        return ZoneInfo(name)
    except (LookupError, ValueError, OSError):
        problem = f"{brief(name)} is not a known time zone."
        raise InvalidInputError("timezone", problem, "Use an IANA name such as Europe/Berlin.") from None


def _machine() -> tzinfo:
    """Return the zone of the machine by its table, which is a hundred times as fast as asking the system."""
    from zoneinfo import ZoneInfo

    named = os.environ.get("TZ", "").removeprefix(":")
    try:
        if named:
            return ZoneInfo(named)
        with Path("/etc/localtime").open("rb") as table:
            return ZoneInfo.from_file(table)
    except (LookupError, ValueError, OSError):
        return _Machine()


def shown(moment: datetime, zone: tzinfo) -> datetime:
    """Return a moment in a time zone; unchanged where the calendar of that zone does not hold it."""
    try:
        return moment.astimezone(zone)
    except OverflowError:
        return moment


def as_moment(
    field: str,
    value: Any,
    now: float,
    zone: tzinfo = UTC,
    *,
    forward: bool | None = None,
    whole_day: bool = False,
) -> datetime | None:
    """Convert to an aware datetime in `zone`, the zone of values that name none. Raises InvalidInputError.

    `forward`: a weekday or date without a year is the next one (True) or the latest (False). `whole_day`: a day
    without a time is the end of that day, otherwise its start.
    """
    if value is None:
        return None
    if isinstance(value, datetime):
        start = end = value
    elif isinstance(value, date):
        start = datetime(value.year, value.month, value.day, tzinfo=zone)
        end = start + timedelta(days=1) if start.year < 9999 else start
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        start = end = from_seconds(field, value)
    elif isinstance(value, str):
        if len(value) > LONGEST_MOMENT:
            problem = f"{brief(value)} has {len(value)} characters, too many for a time."
            raise InvalidInputError(field, problem, "Use a text such as 2026-03-01.")
        start, end = _in_words(field, value, datetime.fromtimestamp(now, zone), forward)
    else:
        problem = f"{brief(value)} is not a time."
        raise InvalidInputError(field, problem, "Use a datetime, or text such as 2026-03-01.")
    is_day = whole_day and start.year < 9999 and start.time() == time.min and end - start == timedelta(days=1)
    moment = end if is_day else start
    moment = moment if moment.tzinfo is not None else moment.replace(tzinfo=zone)
    try:
        # Through UTC: an hour that a change of the clock skips gets the time that it is.
        moment = moment.astimezone(UTC)
    except OverflowError:
        raise InvalidInputError(field, f"{brief(value)} is outside the years 1 to 9999.") from None
    return shown(moment, zone)


def from_seconds(field: str, value: float) -> datetime:
    """Convert unix seconds to a UTC datetime."""
    try:
        return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=value)
    except (OverflowError, ValueError):
        raise InvalidInputError(field, f"{brief(value)} is not a valid unix time.") from None


def at_seconds(seconds: float, zone: tzinfo = UTC) -> datetime:
    """Return the moment of unix seconds that were computed from moments.

    `datetime.fromtimestamp` fails before 1970 on Windows, and for the end of the year 9999, which a zone east of
    Greenwich or the rounding of a float puts into the next year.
    """
    try:
        return shown(datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds), zone)
    except OverflowError:
        return datetime.max.replace(tzinfo=UTC)


def as_seconds(field: str, value: Any, now: float, zone: tzinfo = UTC) -> float | None:
    """Convert to unix seconds, for filters."""
    moment = as_moment(field, value, now, zone)
    return None if moment is None else moment.timestamp()


def _in_words(field: str, value: str, now: datetime, forward: bool | None) -> tuple[datetime, datetime]:
    try:
        return dates.parse_range(value, now, forward=forward)
    except ValueError as error:
        raise InvalidInputError(field, str(error)) from None


# -- ids ----------------------------------------------------------------------------------------

_lock = threading.Lock()
_last = 0
_COUNTER_BITS = 12 + 14


def new_id(recorded: datetime) -> str:
    """Return a new UUIDv7. Ids made by one process in one millisecond still ascend (RFC 9562, 6.2, method 1)."""
    global _last
    milliseconds = max(0, int(recorded.timestamp() * 1000))
    with _lock:
        # A random start within the millisecond, then a counter with room for 2^25 ids.
        floor = (milliseconds << _COUNTER_BITS) | int.from_bytes(os.urandom(4)) >> (32 - _COUNTER_BITS + 1)
        same = _last >> _COUNTER_BITS == milliseconds
        _last = _last + 1 if same else floor
        value = _last
    milliseconds, counter = value >> _COUNTER_BITS, value & ((1 << _COUNTER_BITS) - 1)
    high, low = counter >> 14, counter & 0x3FFF
    tail = int.from_bytes(os.urandom(6))
    number = (milliseconds & (1 << 48) - 1) << 80 | 7 << 76 | high << 64 | 2 << 62 | low << 48 | tail
    return str(uuid.UUID(int=number))


_PREFIXES = (13, 18, 23)
"""Ends of the groups of a UUID. The first 13 characters are the millisecond; one minute shares the first 8."""


def short_ids(ids: Sequence[str], known: Callable[[list[str]], Iterable[str]]) -> dict[str, str]:
    """Return full id -> shortest unique prefix.

    `known` takes prefixes and returns those that identify exactly one memory.
    """
    shortened: dict[str, str] = {}
    for length in _PREFIXES:
        beginnings = {full: full[:length] for full in ids if full not in shortened}
        if not beginnings:
            break
        unique = set(known(list(beginnings.values())))
        shortened.update((full, start) for full, start in beginnings.items() if start in unique)
    return {full: shortened.get(full, full) for full in ids}


def rounded(value: float, digits: int) -> float:
    """Return a number to show, rounded; 0.0 for what rounds to -0.0."""
    return round(float(value), digits) + 0.0


def not_now(valid_from: datetime | None, valid_to: datetime | None, now: float) -> str:
    """Return "until DATE" or "from DATE on" if a validity does not hold at `now` (unix seconds), else ""."""
    moment = datetime.fromtimestamp(now, UTC)
    if valid_to is not None and valid_to <= moment:
        return f"until {valid_to:%Y-%m-%d}"
    if valid_from is not None and valid_from > moment:
        return f"from {valid_from:%Y-%m-%d} on"
    return ""
