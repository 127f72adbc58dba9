"""The date of a file's content, read from its path."""

from __future__ import annotations

import re
from datetime import UTC, datetime, tzinfo

EVERGREEN = ("MEMORY.md", "memory.md")
MEMORY_FOLDER = "memory"

_DAY = re.compile(r"(?<!\d)(\d{4})[-_.](\d{2})[-_.](\d{2})(?!\d)")
_DAY_IN_FOLDERS = re.compile(r"(?:^|/)(\d{4})/(\d{2})/(\d{2})(?=[/._-])")


def date_in(path: str, zone: tzinfo = UTC) -> datetime | None:
    """Return the date in the file name or in the nearest folder name, as its start in `zone`; None without one.

    Examples: `2025-11-27.md`, `2026-03-01-slug.md`, `2026-03-01/notes.md`, `2026/03/01.md`, `2026/03/01/a.md`.
    """
    for part in reversed(path.split("/")):
        for match in _DAY.finditer(part):
            day = _day(match, zone)
            if day is not None:
                return day
    return next((day for match in _DAY_IN_FOLDERS.finditer(path) if (day := _day(match, zone))), None)


def _day(match: re.Match[str], zone: tzinfo) -> datetime | None:
    try:
        year, month, day = map(int, match.groups())
        return datetime(year, month, day, tzinfo=zone)
    except ValueError:
        return None


def occurred(path: str, modified: int, zone: tzinfo = UTC) -> datetime | None:
    """Return a file's day: the date in its path, None for an evergreen file, else the day of its last change.

    `path` is relative to the workspace; `modified` is in nanoseconds since 1970. Only the day counts, so touching
    a file twice a day changes nothing.
    """
    day = date_in(path, zone)
    if day is not None:
        return day
    if path in EVERGREEN or path.startswith(f"{MEMORY_FOLDER}/"):
        return None
    changed = datetime.fromtimestamp(modified / 1e9, zone)
    return changed.replace(hour=0, minute=0, second=0, microsecond=0)
