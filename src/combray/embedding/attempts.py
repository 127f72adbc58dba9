"""Trying to embed: which texts a model refuses, whether it is down, and when to try again."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from combray.errors import ModelError
from combray.runtime import Embedder

MOST_ATTEMPTS = 16
"""Tries of a text that a working model refuses, before it is given up: five hours after the first."""
LONGEST_PAUSE = 3600.0
"""Seconds between two tries, at most (a quarter more with jitter)."""
_PROBE = "hello"
_MOST_CHARACTERS = 500


def pause(attempts: int, memory_id: str) -> float:
    """Seconds until the next try after so many: 2^n up to LONGEST_PAUSE, and up to a quarter more.

    The jitter comes from the memory's id: what failed together does not come back together, and the same
    memory waits as long in every run.
    """
    share = int.from_bytes(hashlib.sha256(memory_id.encode()).digest()[:4]) / 2**32
    return float(min(2.0**attempts, LONGEST_PAUSE) * (1.0 + share / 4.0))


@dataclass(slots=True)
class Tried:
    """What became of some texts, by place: vectors, errors of those refused, or why the model is down."""

    vectors: dict[int, NDArray[np.float32]] = field(default_factory=dict)
    errors: dict[int, str] = field(default_factory=dict)
    down: str = ""


def embed_each(embedder: Embedder, texts: Sequence[str]) -> Tried:
    """Embed all texts at once; when that fails, each half, down to the texts that fail alone.

    After each failure the model is asked for one plain word: if it does not answer that either, it is down, no
    text is to blame, and nothing more is tried.
    """
    tried = Tried()
    waiting = [list(range(len(texts)))] if texts else []
    while waiting:
        part = waiting.pop()
        try:
            rows = _finite(embedder, [texts[at] for at in part])
        except ModelError as error:
            told = str(error)[:_MOST_CHARACTERS]
            if not _answers(embedder):
                tried.down = told
                return tried
            if len(part) == 1:
                tried.errors[part[0]] = told
            else:
                middle = len(part) // 2
                waiting += [part[middle:], part[:middle]]
            continue
        tried.vectors.update(zip(part, rows, strict=True))
    return tried


def _finite(embedder: Embedder, texts: list[str]) -> NDArray[np.float32]:
    rows = embedder.embed(texts)
    if not np.isfinite(rows).all():
        raise ModelError(f"{embedder.name}: gave a vector with NaN or infinite components")
    return rows


def _answers(embedder: Embedder) -> bool:
    try:
        embedder.embed([_PROBE])
    except ModelError:
        return False
    return True
