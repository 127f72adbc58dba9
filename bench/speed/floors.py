"""What the same machine does without an engine: the least that keyword and vector search cost."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import simsimd

from combray.runtime import Embedder
from combray.stores.matrix import Codes, quantised

_WORD = re.compile(r"[a-z0-9]+")


class PlainFTS5:
    """One FTS5 table in one file; a question is the OR of its words, the best ten by bm25()."""

    def __init__(self, path: Path, *, full: bool = False) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None)
        self._connection.execute("PRAGMA journal_mode=WAL")
        self._connection.execute(f"PRAGMA synchronous={'FULL' if full else 'NORMAL'}")
        self._connection.execute(
            "CREATE VIRTUAL TABLE IF NOT EXISTS texts USING fts5(text, tokenize='porter unicode61')"
        )

    def add(self, texts: Iterable[str]) -> None:
        """Insert the texts in one transaction."""
        self._connection.execute("BEGIN IMMEDIATE")
        self._connection.executemany("INSERT INTO texts VALUES (?)", ((text,) for text in texts))
        self._connection.execute("COMMIT")

    def ask(self, question: str) -> list[str]:
        """The ten best texts."""
        query = " OR ".join(f'"{word}"' for word in dict.fromkeys(_WORD.findall(question.lower())))
        rows = self._connection.execute(
            "SELECT text FROM texts WHERE texts MATCH ? ORDER BY bm25(texts) LIMIT 10", (query,)
        )
        return [row[0] for row in rows]

    def close(self) -> None:
        """Close the file."""
        self._connection.close()


class Scan:
    """A matrix of int8 codes; a question is its vector's distance to every row by SIMD, the ten nearest."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._rows: Codes = np.zeros((0, embedder.dimensions), dtype=np.int8)

    def add(self, texts: Sequence[str]) -> None:
        """Embed and append the texts."""
        added = [quantised(self._embedder.embed(texts[at : at + 4096])) for at in range(0, len(texts), 4096)]
        self._rows = np.concatenate([self._rows, *added])

    def ask(self, question: str) -> list[int]:
        """The ten nearest rows, embedding the question included."""
        code = quantised(self._embedder.embed([question], query=True))
        distances = np.asarray(simsimd.cdist(code, self._rows, "cosine"))[0]
        nearest = np.argpartition(distances, min(10, len(distances) - 1))[:10]
        return [int(row) for row in nearest[np.argsort(distances[nearest], kind="stable")]]
