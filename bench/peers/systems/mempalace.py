"""MemPalace: drawers in a palace on its default backend, searched as its MCP server does, given embeddings."""

from __future__ import annotations

import os
from typing import Any

from chromadb import EmbeddingFunction

os.environ["HF_HUB_OFFLINE"] = "1"

from mempalace import embedding

NOTE = "drawers added in batches of 256, search_memories for 10; it re-ranks by words"


class _Given(EmbeddingFunction[Any]):  # type: ignore[misc]
    """Returns the vectors of texts that it was given."""

    known: dict[str, Any] = {}  # noqa: RUF012 - one for all: MemPalace makes its own instances
    dimension = 256
    identity = "given"

    def __init__(self) -> None:
        pass

    def __call__(self, input: Any) -> Any:
        return [self.known[text] for text in input]

    @staticmethod
    def name() -> str:
        return "default"

    def get_config(self) -> dict[str, Any]:
        return {}

    @staticmethod
    def build_from_config(config: dict[str, Any]) -> _Given:
        del config
        return _Given()


embedding.get_embedding_function = lambda *_given, **_named: _Given()

from mempalace.palace import get_collection  # noqa: E402
from mempalace.searcher import search_memories  # noqa: E402


class System:
    """One palace."""

    def __init__(self, folder: str) -> None:
        self._path = f"{folder}/palace"
        self._drawers = get_collection(self._path, create=True)
        self._count = 0

    def add(self, texts: list[str], vectors: Any) -> None:
        _Given.known = dict(zip(texts, vectors, strict=True))
        places = range(self._count, self._count + len(texts))
        self._drawers.add(
            ids=[f"drawer-{at}" for at in places],
            documents=texts,
            metadatas=[{"wing": "bench", "room": "all", "source_file": f"{at}.md"} for at in places],
        )
        self._count += len(texts)

    def ask(self, question: str, vector: Any) -> int:
        _Given.known = {question: vector}
        found = search_memories(question, self._path, n_results=10)
        if "error" in found:
            raise RuntimeError(found["error"])
        return len(found["results"])
