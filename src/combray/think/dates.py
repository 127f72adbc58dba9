"""The day that a memory is about."""

from __future__ import annotations

from datetime import datetime, timedelta

from combray.types import Memory


def day_of(memory: Memory) -> tuple[datetime, datetime]:
    """Return the start and end of the memory's day."""
    first = memory.moment.replace(hour=0, minute=0, second=0, microsecond=0)
    return first, first + timedelta(days=1)
