"""The SQLite databases in which Cursor and opencode keep their conversations; opened read-only."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from combray.sessions import cursor, opencode
from combray.sessions.session import Session

_SIGNATURE = b"SQLite format 3\x00"


def is_database(path: Path) -> bool:
    """Whether a file is an SQLite database. Raises OSError."""
    with path.open("rb") as file:
        return file.read(len(_SIGNATURE)) == _SIGNATURE


def read_database(path: Path) -> list[Session] | None:
    """Return the conversations of a client's database; None if it is another one's.

    Raises OSError if it cannot be read.
    """
    try:
        with closing(sqlite3.connect(f"file:{quote(str(path.absolute()))}?mode=ro", uri=True)) as database:
            tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            for client in (cursor, opencode):
                if tables >= client.TABLES:
                    return list(client.conversations(database))
    except sqlite3.Error as error:
        raise OSError(None, f"cannot be read as SQLite: {error}", str(path)) from error
    return None
