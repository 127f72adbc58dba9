"""Chroma: a persistent collection with given embeddings (its own default downloads a model)."""

from __future__ import annotations

from typing import Any

import chromadb

NOTE = "persistent client, add in batches of 256, query for 10"


class System:
    """One collection."""

    def __init__(self, folder: str) -> None:
        settings = chromadb.Settings(anonymized_telemetry=False)
        client = chromadb.PersistentClient(folder, settings=settings)
        self._collection = client.create_collection("bench", metadata={"hnsw:space": "cosine"})
        self._count = 0

    def add(self, texts: list[str], vectors: Any) -> None:
        ids = [str(self._count + at) for at in range(len(texts))]
        self._collection.add(ids=ids, documents=texts, embeddings=vectors)
        self._count += len(texts)

    def ask(self, question: str, vector: Any) -> int:
        del question
        return len(self._collection.query(query_embeddings=[vector], n_results=10)["ids"][0])
