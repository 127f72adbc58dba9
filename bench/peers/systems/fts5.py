"""Plain SQLite FTS5: the least that a durable full-text store does."""

from __future__ import annotations

import re
import sqlite3
from typing import Any

NOTE = "one FTS5 table in WAL mode, a transaction a batch; any word of the question, bm25, 10 rows; no vectors"


class System:
    """One table."""

    def __init__(self, folder: str) -> None:
        self._db = sqlite3.connect(f"{folder}/fts5.db", isolation_level=None)
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("PRAGMA synchronous=NORMAL")
        self._db.execute("CREATE VIRTUAL TABLE memory USING fts5(text)")

    def add(self, texts: list[str], vectors: Any) -> None:
        del vectors
        self._db.execute("BEGIN")
        self._db.executemany("INSERT INTO memory (text) VALUES (?)", [(text,) for text in texts])
        self._db.execute("COMMIT")

    def ask(self, question: str, vector: Any) -> int:
        del vector
        words = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", question))
        found = "SELECT text FROM memory WHERE memory MATCH ? ORDER BY rank LIMIT 10"
        return len(self._db.execute(found, (words,)).fetchall())
