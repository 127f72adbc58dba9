"""The default embedder: the static token table in the wordllama wheel (MIT; English and Chinese).

The vector of a text is the mean of its tokens' rows. Source: https://github.com/dleemiller/WordLlama. The table
is mapped from the package's file, so that a process reads only the rows it needs and all processes share them.
Not through the package's own loader, which uses a cache folder and falls back to a download.
"""

from __future__ import annotations

import functools
import json
import re
import threading
from collections.abc import Sequence
from functools import cached_property, partial
from importlib.util import find_spec
from itertools import accumulate, chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from combray.errors import ModelError
from combray.folders import cache_folder
from combray.models import merges
from combray.runtime import Vectors

if TYPE_CHECKING:
    from tokenizers import Tokenizer

MAX_TOKENS = 256
"""Tokens of a text that are used, as measured in bench/results/quality.md."""
_SLICE = 32
"""Texts summed at a time. The gathered rows of more long texts exceed the processor's cache."""

_SHORT = 1000
"""Characters of a call's texts from which the library's threads save more than they cost."""
_WITHOUT_LIBRARY = 3_000
"""Words that a process merges without the tokenizers library: that takes as long as to load it."""
_SPECIAL = re.compile("<unk>|</?s>")
"""What the library reads as one token wherever it stands."""
_TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"
_TABLE, _ROWS = "weights/l2_supercat_256.safetensors", "embedding.weight"

_KNOWN = {"en": 1.0, "zh": 0.3}
_OTHERWISE = 0.5
"""Measured in bench/results/quality.md. A Chinese character is a token: the vector of a text is the mean of its
characters, and the common ones outweigh the rare word that the keywords find."""


class WordLlamaEmbedder:
    """Implements `runtime.Embedder`. Maps its 16 MB table on first use."""

    name = "wordllama:256"
    dimensions = 256
    leaves_process = False
    contextual = False

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        del query
        if not texts:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        with self._lock:
            table, compact = self._table, self._merges
            if compact is not None and compact.library is None and compact.learnt > _WITHOUT_LIBRARY:
                compact.library = partial(_ids, self._tokenizer)
        ids = [
            None if compact is None or _SPECIAL.search(text) else compact.encode(text, MAX_TOKENS)
            for text in texts
        ]
        left = [place for place, each in enumerate(ids) if each is None]
        if left:
            for place, found in zip(left, self._by_library([texts[place] for place in left]), strict=True):
                ids[place] = found
        slices = (ids[start : start + _SLICE] for start in range(0, len(ids), _SLICE))
        return np.concatenate([self._sums(table, some) for some in slices])

    def _by_library(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the token ids of texts that the compact merges do not encode."""
        with self._lock:
            tokenizer = self._tokenizer
        if sum(map(len, texts)) <= _SHORT:
            # The library's threads cost more than they save.
            return [_ids(tokenizer, each)[:MAX_TOKENS] for each in texts]
        encodings = tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return [encoding.ids[:MAX_TOKENS] for encoding in encodings]

    def _sums(self, table: Any, ids: Sequence[Sequence[int] | None]) -> Vectors:
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

    def knows(self, language: str) -> float:
        return _KNOWN.get(language, _OTHERWISE)

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        return _library(self._file(_TOKENIZER))

    @cached_property
    def _merges(self) -> merges.Merges | None:
        return _compact(self._file(_TOKENIZER), Path(cache_folder()))

    @cached_property
    def _table(self) -> np.ndarray[tuple[int, int], np.dtype[np.float16]]:
        # The format: the length of a JSON header, the header with the place of each tensor, and the tensors.
        # https://huggingface.co/docs/safetensors
        path = self._file(_TABLE)
        try:
            with path.open("rb") as file:
                length = int.from_bytes(file.read(8), "little")
                found = json.loads(file.read(length))[_ROWS]
            if found["dtype"] != "F16" or found["shape"][1:] != [self.dimensions]:
                raise ValueError(f"{_ROWS} has the type {found['dtype']} and the shape {found['shape']}")
            rows, start = int(found["shape"][0]), 8 + length + int(found["data_offsets"][0])
            mapped = np.memmap(path, dtype="<f2", mode="r", offset=start, shape=(rows, self.dimensions))
        except (OSError, ValueError, KeyError, TypeError, IndexError, MemoryError) as error:
            raise ModelError(
                f"{path} cannot be read: {error}. Install wordllama again, or use --embedder none."
            ) from error
        return mapped.view(np.ndarray)

    def _file(self, name: str) -> Path:
        spec = find_spec("wordllama")
        if spec is None or not spec.submodule_search_locations:
            raise ModelError(
                "the wordllama package is not installed: pip install wordllama, or use --embedder none"
            )
        path = Path(next(iter(spec.submodule_search_locations)), name)
        if not path.exists():
            raise ModelError(
                f"the installed wordllama package has no {name}: install wordllama 0.4, or use --embedder none"
            )
        return path


@functools.lru_cache(maxsize=2)
def _library(file: Path) -> Tokenizer:
    """Return the library's tokenizer: one for all engines, as it takes 65 ms to load."""
    from tokenizers import Tokenizer

    return Tokenizer.from_file(str(file))


@functools.lru_cache(maxsize=2)
def _compact(file: Path, folder: Path) -> merges.Merges | None:
    """Return the compact merges: one for all engines, as it remembers words."""
    return merges.opened(file, folder)


def _ids(tokenizer: Tokenizer, text: str) -> list[int]:
    ids: list[int] = tokenizer.encode(text, add_special_tokens=False).ids
    return ids


def _single(halves: np.ndarray[tuple[int, int], np.dtype[np.float16]]) -> Vectors:
    """Return finite numbers in single precision, by their bits. NumPy's cast takes 7 times as long.

    A number of 5 bits of exponent moves to the place of one of 8 bits, whose bias is greater by 112.
    """
    bits = halves.view("<i2").astype(np.int32)
    bits <<= 13
    bits &= ~0x70000000
    found: Vectors = bits.view(np.float32)
    found *= np.float32(2.0**112)
    return found
