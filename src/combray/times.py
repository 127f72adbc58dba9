"""Moments as callers give them: datetimes, ISO 8601, or words such as "3 days ago"."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

from combray.errors import InvalidInputError, brief
from combray.language import dates

LONGEST = 500
"""Characters of a moment in words: more are a text that names one somewhere."""


def as_moment(field: str, value: Any, now: float) -> datetime | None:
    """An aware UTC datetime; a value without a time zone is taken as UTC. Raises InvalidInputError."""
    if value is None:
        return None
    if isinstance(value, datetime):
        moment = value
    elif isinstance(value, date):
        moment = datetime(value.year, value.month, value.day)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        return from_seconds(field, value)
    elif isinstance(value, str):
        if len(value) > LONGEST:
            problem = f"{brief(value)} has {len(value)} characters, too many for a moment."
            raise InvalidInputError(field, problem, "Give a text such as 2026-03-01.")
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            moment = _in_words(field, value, now)
    else:
        problem = f"{brief(value)} is no moment."
        raise InvalidInputError(field, problem, "Give a datetime or text such as 2026-03-01.")
    moment = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise InvalidInputError(field, f"{brief(value)} lies outside the years 1 to 9999.") from None


def from_seconds(field: str, value: float) -> datetime:
    """Unix seconds as a datetime."""
    try:
        return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=value)
    except (OverflowError, ValueError):
        raise InvalidInputError(field, f"{brief(value)} is no unix time.") from None


def as_seconds(field: str, value: Any, now: float) -> float | None:
    """The same as unix seconds, for filters."""
    moment = as_moment(field, value, now)
    return None if moment is None else moment.timestamp()


def _in_words(field: str, value: str, now: float) -> datetime:
    try:
        return dates.parse_moment(value, datetime.fromtimestamp(now, UTC))
    except ValueError as error:
        raise InvalidInputError(field, str(error)) from None
