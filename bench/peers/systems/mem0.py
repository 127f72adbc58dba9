"""mem0 without a language model (`infer=False`), on its local Qdrant, given embeddings."""

from __future__ import annotations

import os
from typing import Any

os.environ["MEM0_TELEMETRY"] = "False"
os.environ.setdefault("OPENAI_API_KEY", "none: no model is called")

from mem0 import Memory

NOTE = "infer=False: no model is called; add one by one (it has no batches), search for 10"


class _Given:
    """The embedder that mem0 asks: it returns the vector that it was given."""

    def __init__(self) -> None:
        self.vector: list[float] = []

    def embed(self, _text: str, *_how: Any) -> list[float]:
        return self.vector

    def embed_batch(self, texts: list[str], *_how: Any) -> list[list[float]]:
        return [self.vector for _ in texts]


class System:
    """Memories of one user."""

    def __init__(self, folder: str) -> None:
        store = {"path": f"{folder}/qdrant", "embedding_model_dims": 256, "on_disk": True}
        self._memory = Memory.from_config(
            {"vector_store": {"provider": "qdrant", "config": store}, "history_db_path": f"{folder}/history.db"}
        )
        self._given = _Given()
        self._memory.embedding_model = self._given

    def add(self, texts: list[str], vectors: Any) -> None:
        for text, vector in zip(texts, vectors, strict=True):
            self._given.vector = vector.tolist()
            self._memory.add(text, user_id="bench", infer=False)

    def ask(self, question: str, vector: Any) -> int:
        self._given.vector = vector.tolist()
        try:
            found = self._memory.search(question, filters={"user_id": "bench"}, top_k=10)
        except (TypeError, ValueError):
            found = self._memory.search(question, user_id="bench", limit=10)
        return len(found["results"])
