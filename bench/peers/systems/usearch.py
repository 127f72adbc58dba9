"""usearch: an HNSW index of 8-bit vectors in memory, and nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
from usearch.index import Index

NOTE = "HNSW of 8-bit vectors in memory, not saved, no texts; search for 10"


class System:
    """One index."""

    def __init__(self, folder: str) -> None:
        del folder
        self._index = Index(ndim=256, metric="cos", dtype="i8")

    def add(self, texts: list[str], vectors: Any) -> None:
        at = len(self._index)
        self._index.add(np.arange(at, at + len(texts)), vectors)

    def ask(self, question: str, vector: Any) -> int:
        del question
        return len(self._index.search(vector, 10))
