"""An embedder that needs no model: hashed letter trigrams."""

from __future__ import annotations

from collections.abc import Sequence
from zlib import crc32

import numpy as np
from numpy.typing import NDArray


class TrigramEmbedder:
    """Counts of the text's letter trigrams, hashed into `dimensions` places.

    The setting `embedder = "trigrams:512"` calls it with "512"; "trigrams" alone with "".
    """

    leaves_process = False
    contextual = False

    def __init__(self, size: str = "") -> None:
        self.dimensions = int(size or 256)
        self.name = f"trigrams:{self.dimensions}"

    def embed(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:
        """Return one row of unit length for each text; a text without letters has a row of zeros."""
        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            spaced = f" {' '.join(text.casefold().split())} "
            for at in range(len(spaced) - 2):
                row[crc32(spaced[at : at + 3].encode()) % self.dimensions] += 1.0
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        unit: NDArray[np.float32] = rows / np.maximum(lengths, 1e-9)
        return unit

    def knows(self, language: str) -> float:
        """How well it knows a language, from 0 to 1: letters are letters."""
        return 1.0
