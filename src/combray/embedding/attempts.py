"""Attempts to embed: texts that a model rejects, outages, and the time of the next attempt."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from combray.errors import ModelError
from combray.runtime import Embedder

MOST_ATTEMPTS = 16
"""Attempts for a text that a working model rejects. The last is five hours after the first."""
LONGEST_PAUSE = 3600.0
"""Longest pause between attempts in seconds, without jitter (up to a quarter more)."""
_PROBE = "hello"
_MOST_CHARACTERS = 500


def pause(attempts: int, memory_id: str) -> float:
    """Return the seconds until the next attempt: 2^n up to LONGEST_PAUSE, plus up to a quarter of jitter.

    The jitter is derived from the memory's id: jobs that failed together are spread, reproducibly.
    """
    share = int.from_bytes(hashlib.sha256(memory_id.encode()).digest()[:4]) / 2**32
    return float(min(2.0**attempts, LONGEST_PAUSE) * (1.0 + share / 4.0))


@dataclass(slots=True)
class Tried:
    """Result of an attempt by position: vectors, errors of rejected texts, or why the model is down."""

    vectors: dict[int, NDArray[np.float32]] = field(default_factory=dict)
    errors: dict[int, str] = field(default_factory=dict)
    down: str = ""


def embed_each(embedder: Embedder, texts: Sequence[str]) -> Tried:
    """Embed all texts at once. On failure, bisect down to the texts that fail alone.

    After each failure, one plain word is embedded. If that fails too, the model is down: the attempt ends, and no
    text is blamed.
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
        raise ModelError(f"{embedder.name}: returned a vector with NaN or infinite components")
    return rows


def _answers(embedder: Embedder) -> bool:
    try:
        embedder.embed([_PROBE])
    except ModelError:
        return False
    return True
