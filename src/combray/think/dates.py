"""Dates in a memory's text, resolved relative to the moment it is about."""

from __future__ import annotations

from datetime import datetime, timedelta

from combray.language.dates.named import Dated, days_named, edges_named
from combray.types import Memory

__all__ = ["Dated", "day_of", "days_named", "edges_named"]


def day_of(memory: Memory) -> tuple[datetime, datetime]:
    """Return the start and end of the memory's day."""
    first = memory.moment.replace(hour=0, minute=0, second=0, microsecond=0)
    return first, first + timedelta(days=1)
