"""The default embedder: the static token table in the wordllama wheel (MIT; English and Chinese).

The vector of a text is the mean of its tokens' rows. Source: https://github.com/dleemiller/WordLlama. The table
is read directly: the package's own loader uses a cache folder and falls back to a download.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from combray.errors import ModelError
from combray.runtime import Vectors

if TYPE_CHECKING:
    from tokenizers import Tokenizer

MAX_TOKENS = 256
"""Tokens of a text that are used, as measured in bench/results/quality.md."""
_SLICE = 32
"""Texts summed at a time. The gathered rows of more long texts exceed the processor's cache."""

_KNOWN = {"en": 1.0, "zh": 1.0}
_OTHERWISE = 0.5
"""Measured in bench/results/quality.md."""


class WordLlamaEmbedder:
    """Implements `runtime.Embedder`. Loads its 16 MB table on first use."""

    name = "wordllama:256"
    dimensions = 256
    leaves_process = False
    contextual = False

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        del query
        with self._lock:
            tokenizer, table = self._tokenizer, self._table
        if not texts:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        slices = (texts[start : start + _SLICE] for start in range(0, len(texts), _SLICE))
        return np.concatenate([self._sums(tokenizer, table, some) for some in slices])

    def _sums(self, tokenizer: Tokenizer, table: Any, texts: Sequence[str]) -> Vectors:
        """Return the sums of the tokens' rows, scaled to unit length."""
        encodings = tokenizer.encode_batch(list(texts), add_special_tokens=False)
        ids = [encoding.ids[:MAX_TOKENS] for encoding in encodings]
        counts = np.array([len(each) for each in ids], dtype=np.int64)
        vectors: Vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        filled = counts > 0
        if filled.any():
            rows = table[np.concatenate([np.array(each, dtype=np.int64) for each in ids if each])]
            starts = np.concatenate(([0], np.cumsum(counts[filled])[:-1]))
            sums = np.add.reduceat(rows.astype(np.float32), starts, axis=0)
            norms = np.sqrt(np.einsum("ij,ij->i", sums, sums))
            vectors[filled] = sums / np.where(norms > 0, norms, 1.0)[:, None]
        return vectors

    def knows(self, language: str) -> float:
        return _KNOWN.get(language, _OTHERWISE)

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        from tokenizers import Tokenizer

        return Tokenizer.from_file(str(self._file("tokenizers/l2_supercat_tokenizer_config.json")))

    @cached_property
    def _table(self) -> np.ndarray[tuple[int, int], np.dtype[np.float16]]:
        from safetensors import safe_open

        with safe_open(self._file("weights/l2_supercat_256.safetensors"), "numpy") as tensors:
            table: np.ndarray[tuple[int, int], np.dtype[np.float16]] = tensors.get_tensor("embedding.weight")
        return table

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
