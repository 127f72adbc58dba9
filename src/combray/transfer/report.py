"""What an import would do, or did, and every line it could not use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from combray.errors import InvalidInputError

Shape = Literal["combray", "mnemon", "items", "empty"]
"""An export of Combray; Mnemon's import draft; one object an item; nothing at all."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that cannot be imported. `line` is counted from 1; in a file that is one JSON value, `item`
    counts that value's entries from 1 instead and `line` is 0."""

    line: int
    problem: str
    remedy: str = ""
    item: str = ""

    def __str__(self) -> str:
        place = f"line {self.line}" if self.line else self.item or "the file"
        return f"{place}: {self.problem}" + (f" {self.remedy}" if self.remedy else "")


@dataclass(frozen=True, slots=True)
class ImportReport:
    """Counts of what is new (`memories`, `versions`, `edges`) and of what is `skipped`: known already.

    A dry run counts exact repeats only; near duplicates are judged while importing. `replaced` memories
    are superseded by what was imported, and `quarantined` ones kept apart by the guard: known in the dry run of
    an export only.
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


def shown(value: Any) -> str:
    """A value short enough for a message."""
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


def problem_of(error: InvalidInputError, line: int, item: str = "") -> Problem:
    """The same as a line of the report."""
    return Problem(line, f"{error.field}: {error.problem}", error.remedy, item)
