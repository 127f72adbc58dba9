"""Sentence embedding models in ONNX format, from a folder or the Hugging Face hub."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from combray.errors import ModelError
from combray.models.onnx_files import POOLINGS, by_length, encode, find, open_session, open_tokenizer, run
from combray.runtime import Vectors

MAX_TOKENS = 256
_BATCH = 32
_MULTILINGUAL = 100_000
"""Vocabulary size from which a model counts as multilingual (XLM-R 250,000, mBERT 120,000, English 30,000)."""


class OnnxEmbedder:
    """Implements `runtime.Embedder` with onnxruntime on the CPU, one thread.

    Accepts both usual exports: a pooled vector [batch, dims], and `last_hidden_state` [batch, tokens, dims].
    The latter is pooled as `1_Pooling/config.json` says, or as a listed model is known to be: the mean over the
    attention mask, or the first token's vector.
    """

    leaves_process = False
    contextual = True

    def __init__(self, path: str) -> None:
        files = find(path)
        self._session = open_session(files.model)
        self._tokenizer = open_tokenizer(files.tokenizer, MAX_TOKENS)
        first = run(self._session, encode(self._tokenizer, ["dimensions"]))
        if first.ndim not in (2, 3):
            raise ModelError(f"onnx:{files.name}: the output has shape {first.shape}, not one vector per text")
        self._pooling = files.pooling() if first.ndim == 3 else POOLINGS[0]
        if self._pooling not in POOLINGS:
            raise ModelError(
                f"onnx:{files.name}: the pooling {self._pooling} is not supported; "
                "use an export with pooled output"
            )
        self.dimensions = int(first.shape[-1])
        # The digest distinguishes models in the same place that give other vectors.
        pooled = "" if self._pooling == POOLINGS[0] else f":{self._pooling}"
        self.name = f"onnx:{files.name}:{files.digest()}{pooled}"

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        del query
        vectors: Vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for places in by_length(texts, range(len(texts)), _BATCH):
            for place, row in zip(places, self._embed_batch([texts[each] for each in places]), strict=True):
                vectors[place] = row
        return vectors

    def _embed_batch(self, texts: list[str]) -> Vectors:
        encodings = encode(self._tokenizer, texts)
        output = run(self._session, encodings)
        if output.ndim == 3 and self._pooling == "cls":
            output = output[:, 0]
        elif output.ndim == 3:
            weights = np.array([each.attention_mask for each in encodings], dtype=np.float32)[:, :, None]
            output = (output * weights).sum(axis=1) / np.maximum(weights.sum(axis=1), 1e-9)
        pooled: Vectors = output.astype(np.float32)
        norms = np.sqrt(np.einsum("ij,ij->i", pooled, pooled))
        pooled /= np.where(norms > 0, norms, 1.0)[:, None]
        return pooled

    def knows(self, language: str) -> float:
        if language == "en" or self._tokenizer.get_vocab_size() >= _MULTILINGUAL:
            return 1.0
        return 0.3
