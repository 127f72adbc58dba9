"""SQLite files of other tools, read only."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

from combray.errors import InvalidInputError


def tables(path: Path) -> set[str]:
    """Return the names of the tables. Raises InvalidInputError."""
    return {row["name"] for row in rows(path, "SELECT name FROM sqlite_master WHERE type = 'table'")}


def rows(path: Path, query: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a query as mappings. Raises InvalidInputError."""
    try:
        with closing(sqlite3.connect(f"file:{quote(str(path.absolute()))}?mode=ro", uri=True)) as database:
            database.row_factory = sqlite3.Row
            for row in database.execute(query):
                yield dict(row)
    except (sqlite3.Error, UnicodeDecodeError) as error:
        problem = f"cannot be read as SQLite: {error}."
        raise InvalidInputError(path.name, problem, "Close the program that uses it, or copy it anew.") from None
