"""How many SQL statements a write runs: each costs tens of microseconds, and reads of one state can share."""

from __future__ import annotations

import re
import sqlite3
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import suppress

_opened: list[sqlite3.Connection] = []
_BLANKS = re.compile(r"\s+")


def _watch(event: str, arguments: tuple[object, ...]) -> None:
    if event == "sqlite3.connect/handle" and isinstance(arguments[0], sqlite3.Connection):
        _opened.append(arguments[0])


def watch() -> None:
    """Note every connection that is opened from here on. An audit hook cannot be removed: call it once."""
    if not _opened:
        sys.addaudithook(_watch)


def counted(work: Callable[[], int]) -> tuple[float, Counter[str]]:
    """Return the statements for each thing that `work` did, and how often each text of a statement was run.

    Statements of triggers and of tables inside FTS5 do not count. Call `watch` before the store is opened.
    """
    found: Counter[str] = Counter()

    def count(statement: str) -> None:
        if not statement.startswith("--"):
            found[_BLANKS.sub(" ", statement)[:80]] += 1

    _trace(count)
    try:
        done = work()
    finally:
        _trace(None)
    return sum(found.values()) / done, found


def _trace(callback: Callable[[str], None] | None) -> None:
    for each in _opened:
        # A closed connection runs no statement; it says so by an error.
        with suppress(sqlite3.ProgrammingError):
            each.set_trace_callback(callback)
