"""An embedder from a static table: the vector of a text is the mean of its tokens' rows.

Two parts make one: a tokenizer (`Tokens`) and an array with one row a token. `wordllama.py` is the default's.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, chain
from typing import Any, Protocol

import numpy as np

from combray.runtime import Vectors

MAX_TOKENS = 256
"""Tokens of a text that are used, as measured in bench/results/quality.md."""
_SLICE = 32
"""Texts summed at a time. The gathered rows of more long texts exceed the processor's cache."""


class Tokens(Protocol):
    """The tokenizer of a table."""

    def encode(self, text: str, most: int | None = None) -> Sequence[int]:
        """Return the rows of a text's tokens, at most `most`; none for an empty text."""


class StaticEmbedder:
    """Implements `runtime.Embedder` with a table that is opened on first use.

    Args:
        name: provider and model; the vectors are stored under it.
        dimensions: length of a row.
        load: returns the tokenizer and the rows, as half or single precision. Called once.
        knows: language (ISO 639-1) -> weight of the signal, in [0, 1].
        otherwise: the weight in every other language.
    """

    leaves_process = False
    contextual = False

    def __init__(
        self,
        name: str,
        dimensions: int,
        load: Callable[[], tuple[Tokens, np.ndarray[Any, Any]]],
        *,
        knows: Mapping[str, float],
        otherwise: float,
    ) -> None:
        self.name = name
        self.dimensions = dimensions
        self._load, self._knows, self._otherwise = load, knows, otherwise
        self._lock = threading.Lock()

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        del query
        if not texts:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        with self._lock:
            tokens, rows = self._opened
        ids = [tokens.encode(text, MAX_TOKENS) for text in texts]
        slices = (ids[start : start + _SLICE] for start in range(0, len(ids), _SLICE))
        return np.concatenate([self._sums(rows, some) for some in slices])

    def knows(self, language: str) -> float:
        return self._knows.get(language, self._otherwise)

    @cached_property
    def _opened(self) -> tuple[Tokens, np.ndarray[Any, Any]]:
        return self._load()

    def _sums(self, table: np.ndarray[Any, Any], ids: Sequence[Sequence[int]]) -> Vectors:
        """Return the sums of the tokens' rows, scaled to unit length."""
        filled = [each for each in ids if each]
        vectors: Vectors = np.zeros((len(ids), self.dimensions), dtype=np.float32)
        if filled:
            rows = _single(table[list(chain.from_iterable(filled))])
            starts = [0, *accumulate(map(len, filled[:-1]))]
            sums: Vectors = np.add.reduceat(rows, starts, axis=0) if len(rows) > len(filled) else rows
            norms = np.sqrt(np.einsum("ij,ij->i", sums, sums))
            sums /= np.where(norms > 0, norms, 1.0)[:, None]
            if len(filled) == len(ids):
                return sums
            vectors[[place for place, each in enumerate(ids) if each]] = sums
        return vectors


def _single(rows: np.ndarray[Any, Any]) -> Vectors:
    """Return finite numbers in single precision; halves by their bits. NumPy's cast takes 7 times as long.

    A number of 5 bits of exponent moves to the place of one of 8 bits, whose bias is greater by 112.
    """
    if rows.dtype.itemsize != 2:
        return rows.astype(np.float32, copy=False)
    bits = rows.view("<i2").astype(np.int32)
    bits <<= 13
    bits &= ~0x70000000
    found: Vectors = bits.view(np.float32)
    found *= np.float32(2.0**112)
    return found
