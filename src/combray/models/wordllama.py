"""The default embedder: the static token table of wordllama (MIT; English and Chinese).

The vector of a text is the mean of its tokens' rows. `merges.py` is the tokenizer.
Source: https://github.com/dleemiller/WordLlama. Its two files come into this package when it is built
(`building/table.py`). They are mapped: a process reads only the rows it needs, and all processes share them.
"""

from __future__ import annotations

import functools
import json
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, chain
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from combray.errors import ModelError
from combray.language.caches import keyed_by_text
from combray.language.tokens import is_stop
from combray.models import merges
from combray.runtime import Embedder, Vectors

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


# -- the table of wordllama ------------------------------------------------------------------------

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


# -- vectors of single words: a sentence then costs a lookup and not a run of the tokenizer --------

MOST_WORDS = 20_000
"""Words that are remembered: 20 to 40 MB for 256 dimensions."""
MOST_TEXTS = 4_096
"""Texts of which the rows are remembered: 4 MB for texts of 50 words."""
_FEWEST_ROWS = 1_024
_STOP = -1
_LOCK = threading.Lock()
"""One for all engines, because they share the words."""


class RememberedWords:
    """Implements `runtime.WordVectors` on a static embedder. Erasure empties it."""

    def __init__(self, embedder: Embedder) -> None:
        self.name = embedder.name
        self._embedder = embedder

    def rows(self, words: Sequence[str]) -> tuple[NDArray[np.bool_], NDArray[np.float32]]:
        """Return which words count (no stop words), and the vectors of those that do. Raises ModelError."""
        with _LOCK:
            kept = self._kept()
            kept.add(words, self._embedder)
            at = kept.at(words)
            counts = at != _STOP
            return counts, kept.table[at[counts]]

    def of_texts(self, texts: Sequence[tuple[str, ...]]) -> tuple[list[int], NDArray[np.float32]]:
        """Return for each text, given as its words, how many count, and the vectors of these in order.

        Raises ModelError.
        """
        with _LOCK:
            kept = self._kept()
            places = kept.read(texts, self._embedder)
            return [len(each) for each in places], kept.table[np.concatenate(places or [_NOWHERE])]

    def _kept(self) -> _WordTable:
        kept = _remembered(self.name, self._embedder.dimensions)
        if len(kept.places) > MOST_WORDS:
            kept.forget()
        return kept


_NOWHERE = np.zeros(0, dtype=np.int64)


class _WordTable:
    """Row by word, the rows, and the rows of whole texts. The table grows by doubling: a new word copies none."""

    def __init__(self, dimensions: int) -> None:
        self._dimensions = dimensions
        self.forget()

    def forget(self) -> None:
        """Begin anew: there are too many. Readers may still hold the old table."""
        self.places: dict[str, int] = {"": _STOP}
        self.texts: dict[tuple[str, ...], NDArray[np.int64]] = {}
        # Rows behind `_used` are room to grow.
        self.table: NDArray[np.float32] = np.empty((_FEWEST_ROWS, self._dimensions), dtype=np.float32)
        self._used = 0

    def at(self, words: Sequence[str]) -> NDArray[np.int64]:
        """Return the rows of known words."""
        return np.fromiter(map(self.places.__getitem__, words), dtype=np.int64, count=len(words))

    def read(self, texts: Sequence[tuple[str, ...]], embedder: Embedder) -> list[NDArray[np.int64]]:
        """Return the rows of the words of each text that count. Raises ModelError."""
        new = [words for words in texts if words not in self.texts]
        self.add([word for words in new for word in words], embedder)
        if len(self.texts) + len(new) > MOST_TEXTS:
            self.texts.clear()
            new = list(texts)
        for words in new:
            at = self.at(words)
            self.texts[words] = at[at != _STOP]
        return [self.texts[words] for words in texts]

    def add(self, words: Sequence[str], embedder: Embedder) -> None:
        """Add those words that are not known. Raises ModelError, and then adds none."""
        new = [word for word in dict.fromkeys(words) if word not in self.places]
        counting = [word for word in new if not is_stop(word)]
        if counting:
            # In half precision, so that distances do not depend on the last digits of an embedder. Rows that are
            # kept in it take half the space, and ten times as long to read.
            vectors = embedder.embed(counting).astype(np.float16)
            start, end = self._used, self._used + len(counting)
            if end > len(self.table):
                grown = np.zeros((max(end, 2 * len(self.table)), self._dimensions), dtype=np.float32)
                grown[:start] = self.table[:start]
                self.table = grown
            self.table[start:end] = vectors
            self._used = end
            self.places.update({word: at for at, word in enumerate(counting, start)})
        self.places.update({word: _STOP for word in new if word not in self.places})


@keyed_by_text
@functools.lru_cache(maxsize=4)
def _remembered(name: str, dimensions: int) -> _WordTable:
    """Return the words of the embedder of a name: shared by all engines that use it."""
    del name
    return _WordTable(dimensions)
