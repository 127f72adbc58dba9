"""Embedding attempts: which texts a model refuses, whether it is down, and when to retry."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from combray.errors import ModelError
from combray.records import dataclass, field

Embed = Callable[[Sequence[str]], Sequence[NDArray[Any]]]
"""Returns the vector, or the token vectors, of each text."""
MOST_ATTEMPTS = 16
"""Attempts at a text that a working model refuses, before it is given up: about five hours."""
LONGEST_PAUSE = 3600.0
"""Maximum seconds between two attempts, before up to 25% jitter."""
_PROBE = "hello"
_MOST_CHARACTERS = 500


def pause(attempts: int, memory_id: str) -> float:
    """Return the seconds until the next attempt: 2^attempts up to LONGEST_PAUSE, plus up to 25% jitter.

    The jitter is a hash of the memory's id, so it spreads retries and is the same in every run.
    """
    share = int.from_bytes(hashlib.sha256(memory_id.encode()).digest()[:4]) / 2**32
    return float(min(2.0**attempts, LONGEST_PAUSE) * (1.0 + share / 4.0))


@dataclass(slots=True)
class Tried:
    """The result for some texts: vectors and errors by position, or why the model is down."""

    vectors: dict[int, NDArray[Any]] = field(default_factory=dict)
    errors: dict[int, str] = field(default_factory=dict)
    down: str = ""


def embed_each(name: str, embed: Embed, texts: Sequence[str]) -> Tried:
    """Embed all texts at once with the model of that name. If that fails, embed each half, down to single texts.

    After each failure the model embeds one plain word. If that fails too, the model is down and the attempt ends.
    """
    tried = Tried()
    waiting = [list(range(len(texts)))] if texts else []
    while waiting:
        part = waiting.pop()
        try:
            rows = embed([texts[at] for at in part])
            if not all(np.isfinite(row).all() for row in rows):
                raise ModelError(f"{name}: returned a vector with NaN or infinite components")
        except ModelError as error:
            reason = str(error)[:_MOST_CHARACTERS]
            if not _answers(embed):
                tried.down = reason
                return tried
            if len(part) == 1:
                tried.errors[part[0]] = reason
            else:
                middle = len(part) // 2
                waiting += [part[middle:], part[:middle]]
            continue
        tried.vectors.update(zip(part, rows, strict=True))
    return tried


def _answers(embed: Embed) -> bool:
    try:
        embed([_PROBE])
    except ModelError:
        return False
    return True
