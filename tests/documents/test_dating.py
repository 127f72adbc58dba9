"""The page: date in the filename, else evergreen in MEMORY.md and memory/, else the file's mtime."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from combray.documents.workspace import occurred

CHANGED = 1_780_315_200_000_000_000
"""1 June 2026, 12:00 UTC, in nanoseconds."""


@pytest.mark.parametrize(
    ("path", "day"),
    [
        ("memory/2025-11-27.md", (2025, 11, 27)),
        ("memory/2026-03-01-slug.md", (2026, 3, 1)),
        ("memory/2026-03-01/notes.md", (2026, 3, 1)),
        ("memory/2026/03/01.md", (2026, 3, 1)),
        ("memory/2026/03/01/standup.md", (2026, 3, 1)),
        ("memory/2025-01-01/2026-03-01.md", (2026, 3, 1)),
        ("log_2026_03_01.md", (2026, 3, 1)),
        ("memory/2025-13-40-or-2026-03-01.md", (2026, 3, 1)),
        ("notes/todo.md", (2026, 6, 1)),
        ("notes/12025-11-27.md", (2026, 6, 1)),
    ],
)
def test_a_file_happened_on_the_day_its_path_says(path: str, day: tuple[int, int, int]) -> None:
    assert occurred(path, CHANGED) == datetime(*day, tzinfo=UTC)


@pytest.mark.parametrize(
    "path", ["MEMORY.md", "memory.md", "memory/people.md", "memory/a/b.md", "memory/v1.2.md"]
)
def test_undated_memory_is_evergreen(path: str) -> None:
    assert occurred(path, CHANGED) is None


def test_only_the_workspaces_own_memory_is_evergreen() -> None:
    assert occurred("docs/MEMORY.md", CHANGED) is not None
    assert occurred("docs/memory/a.md", CHANGED) is not None
