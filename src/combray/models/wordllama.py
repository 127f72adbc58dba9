"""The default embedder: the static token table of wordllama (MIT; English and Chinese).

Source: https://github.com/dleemiller/WordLlama. Its two files come into this package when it is built
(`building/table.py`). They are mapped: a process reads only the rows it needs, and all processes share them.
"""

from __future__ import annotations

import functools
import json
from pathlib import Path

import numpy as np

from combray.errors import ModelError
from combray.models import merges
from combray.models.static import StaticEmbedder

FOLDER = Path(__file__).parent / "tables"
ROWS, MERGES = "wordllama-256.safetensors", "wordllama.merges"
_DIMENSIONS = 256
_TENSOR = "embedding.weight"
_KNOWN = {"en": 1.0, "zh": 0.3}
_OTHERWISE = 0.5
"""Measured in bench/results/quality.md. A Chinese character is a token: the vector of a text is the mean of its
characters, and the common ones outweigh the rare word that the keywords find."""

Halves = np.ndarray[tuple[int, int], np.dtype[np.float16]]


def wordllama_embedder() -> StaticEmbedder:
    """Return the default embedder. Its first `embed` raises ModelError without the table."""
    load = functools.partial(_load, FOLDER)
    return StaticEmbedder("wordllama:256", _DIMENSIONS, load, knows=_KNOWN, otherwise=_OTHERWISE)


@functools.lru_cache(maxsize=2)
def _load(folder: Path) -> tuple[merges.Merges, Halves]:
    """Open the table: one for all engines, as the merges remember words."""
    if not (folder / ROWS).exists():
        raise ModelError(
            f"the table of the default embedder is missing in {folder}. In a clone, install Combray once: "
            "pip install -e . Or use --embedder none."
        )
    try:
        return merges.opened(folder / MERGES), _rows(folder / ROWS)
    except (OSError, ValueError, KeyError, TypeError, IndexError, MemoryError) as error:
        raise ModelError(
            f"the table in {folder} cannot be read: {error}. Install Combray again, or use --embedder none."
        ) from error


def _rows(path: Path) -> Halves:
    # The format: the length of a JSON header, the header with the place of each tensor, and the tensors.
    # https://huggingface.co/docs/safetensors
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        found = json.loads(file.read(length))[_TENSOR]
    if found["dtype"] != "F16" or found["shape"][1:] != [_DIMENSIONS]:
        raise ValueError(f"{_TENSOR} has the type {found['dtype']} and the shape {found['shape']}")
    rows, start = int(found["shape"][0]), 8 + length + int(found["data_offsets"][0])
    mapped = np.memmap(path, dtype="<f2", mode="r", offset=start, shape=(rows, _DIMENSIONS))
    return mapped.view(np.ndarray)
