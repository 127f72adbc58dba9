"""LangGraph's SQLite store with its vector index (sqlite-vec), given embeddings."""

from __future__ import annotations

import json
import sys
from typing import Any

# The sqlite3 of some Pythons cannot load sqlite-vec; this one can.
import pysqlite3 as sqlite3

sys.modules["sqlite3"] = sqlite3

from langgraph.store.base import PutOp  # noqa: E402
from langgraph.store.sqlite import SqliteStore  # noqa: E402

NOTE = "SqliteStore with index, put in batches of 256, search for 10"


class System:
    """One namespace of one file."""

    def __init__(self, folder: str) -> None:
        self._known: dict[str, Any] = {}
        connection = sqlite3.connect(f"{folder}/store.db", check_same_thread=False, isolation_level=None)
        self._store = SqliteStore(
            connection, index={"dims": 256, "embed": self._embed, "fields": ["text"], "distance_type": "cosine"}
        )
        self._store.setup()
        self._count = 0

    def _embed(self, texts: list[str]) -> list[list[float]]:
        # A field arrives as its text, or as the JSON of the whole value.
        plain = [json.loads(text)["text"] if text not in self._known else text for text in texts]
        return [self._known[text].tolist() for text in plain]

    def add(self, texts: list[str], vectors: Any) -> None:
        self._known = dict(zip(texts, vectors, strict=True))
        puts = [PutOp(("bench",), str(self._count + at), {"text": text}) for at, text in enumerate(texts)]
        self._store.batch(puts)
        self._count += len(texts)

    def ask(self, question: str, vector: Any) -> int:
        self._known = {question: vector}
        return len(self._store.search(("bench",), query=question, limit=10))
