"""The report of an import: counts, and every invalid line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from combray.errors import InvalidInputError
from combray.records import dataclass

Shape = str
""""combray": an export; "mnemon": Mnemon's import draft; "items": one object per item; "empty"; or the name of a
format of another tool (`transfer.formats`)."""


@dataclass(frozen=True, slots=True)
class Problem:
    """An entry that cannot be imported, and why.

    `line` counts from 1. In a file that is one JSON value, `line` is 0 and `item` counts its entries from 1.
    """

    line: int
    problem: str
    remedy: str = ""
    item: str = ""

    def __str__(self) -> str:
        place = f"line {self.line}" if self.line else self.item or "the file"
        return f"{place}: {self.problem}" + (f" {self.remedy}" if self.remedy else "")


@dataclass(frozen=True, slots=True)
class ImportReport:
    """Counts of new `memories`, `versions` and `edges`, and of `skipped` entries, which are already stored.

    A dry run counts exact duplicates only; near duplicates are found during the import. `replaced`: memories
    superseded by imported ones. `quarantined`: a dry run knows this number for an export only. `left`: what the
    file has and Combray has no place for, with its number.
    """

    shape: Shape
    dry_run: bool
    memories: int = 0
    versions: int = 0
    edges: int = 0
    skipped: int = 0
    replaced: int = 0
    quarantined: int = 0
    problems: tuple[Problem, ...] = ()
    left: tuple[str, ...] = ()


def left_of(counts: Mapping[str, int]) -> tuple[str, ...]:
    """Return what has no place as lines, the most frequent first."""
    ordered = sorted(counts.items(), key=lambda each: (-each[1], each[0]))
    return tuple(f"{what} ({count})" for what, count in ordered)


def shown(value: Any) -> str:
    """Return a value, truncated for a message."""
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


def problem_of(error: InvalidInputError, line: int, item: str = "") -> Problem:
    """Convert an error to a problem."""
    return Problem(line, f"{error.field}: {error.problem}", error.remedy, item)
