"""Late-interaction models (ColBERT) in ONNX format: one vector a token.

Source: Khattab and Zaharia, ColBERT (SIGIR 2020), https://arxiv.org/abs/2004.12832. The small model is Clavié,
answerai-colbert-small-v1, which marks a query with the token [unused0] and a text with [unused1].
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import groupby
from operator import itemgetter
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from combray.errors import ModelError
from combray.models.onnx import LateModel, encode, run
from combray.models.onnx_files import TOKENS

PROJECTION = Path(__file__).with_name("token_projection.bin")
"""96 rows of 384 half-precision numbers: the principal axes of token vectors, which stand in for the last layer
that the listed export lacks (`python -m bench.projection`)."""
_PROJECTED, _STATES = 96, 384
MOST_DIMENSIONS = 128
"""Of a vector that is stored. ColBERT models have 96 or 128."""
_BATCH = 32
_QUERY, _TEXT = "[unused0]", "[unused1]"


class OnnxTokenEmbedder(LateModel):
    """Implements `runtime.TokenEmbedder` with onnxruntime on the CPU, one thread.

    Texts of the same number of tokens share a batch, so that nothing is padded: an int8 model scales its numbers
    by the whole batch. Vectors of special tokens are left out.
    """

    max_tokens = 256
    leaves_process = False

    def __init__(self, path: str) -> None:
        super().__init__(path)
        digest = self._files.digest()
        self.name = f"onnx:{self._files.name}:{digest}:tokens"
        self._lacks_layer = TOKENS.files["model.onnx"][1].startswith(digest)

    def embed_tokens(self, texts: Sequence[str], *, query: bool = False) -> list[NDArray[np.int8]]:
        session, tokenizer, _ = self._loaded()
        marker = tokenizer.token_to_id(_QUERY if query else _TEXT)
        tokenizer.no_padding()
        encodings = [_marked(each, marker) for each in encode(tokenizer, list(texts))]
        found: list[NDArray[np.int8]] = [np.zeros((0, self.dimensions), dtype=np.int8)] * len(texts)
        order = sorted((len(each.ids), place) for place, each in enumerate(encodings) if texts[place].strip())
        for _, same in groupby(order, key=itemgetter(0)):
            places = [place for _, place in same]
            for batch in (places[start : start + _BATCH] for start in range(0, len(places), _BATCH)):
                states = run(session, [encodings[place] for place in batch])
                if states.ndim != 3:
                    raise ModelError(f"{self.name}: the output has shape {states.shape}, not one vector a token")
                for place, rows in zip(batch, states, strict=True):
                    found[place] = self._coded(rows[encodings[place].counts])
        return found

    @cached_property
    def dimensions(self) -> int:
        """Length of a vector."""
        if self._lacks_layer:
            return _PROJECTED
        session, tokenizer, _ = self._loaded()
        probe = [_marked(each, None) for each in encode(tokenizer, ["dimensions"])]
        width = int(run(session, probe).shape[-1])
        if width > MOST_DIMENSIONS:
            raise ModelError(
                f"{self.name}: a token has {width} dimensions, more than {MOST_DIMENSIONS}: the export lacks the "
                "model's last layer. Export the whole model."
            )
        return width

    @cached_property
    def _projection(self) -> NDArray[np.float32]:
        return np.fromfile(PROJECTION, dtype="<f2").astype(np.float32).reshape(_PROJECTED, _STATES)

    def _coded(self, rows: NDArray[np.float32]) -> NDArray[np.int8]:
        if self._lacks_layer:
            rows = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9) @ self._projection.T
        peak = np.abs(rows).max(axis=1, keepdims=True, initial=0.0)
        if not np.isfinite(peak).all():
            raise ModelError(f"{self.name}: returned a vector with NaN or infinite components")
        return np.rint(rows / np.where(peak > 0, peak, 1.0) * 127.0).astype(np.int8)

    def knows(self, language: str) -> float:
        """Return the weight of its signal: the known models read English only."""
        return 1.0 if language == "en" else 0.0


class _Marked:
    """An encoded text with the marker behind its first token. `counts`: which tokens have a vector."""

    def __init__(self, ids: list[int], counts: NDArray[np.bool_]) -> None:
        self.ids, self.counts = ids, counts
        self.attention_mask, self.type_ids = [1] * len(ids), [0] * len(ids)


def _marked(encoding: object, marker: int | None) -> _Marked:
    ids, special = list(encoding.ids), list(encoding.special_tokens_mask)  # type: ignore[attr-defined]
    if marker is not None:
        ids.insert(1, marker)
        special.insert(1, 1)
    return _Marked(ids, np.array(special) == 0)
