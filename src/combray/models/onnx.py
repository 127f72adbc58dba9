"""Sentence models exported to ONNX: a folder with `model.onnx` and `tokenizer.json`."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from combray.errors import MissingExtraError, ModelError
from combray.runtime import Vectors

MAX_TOKENS = 256
_BATCH = 32
_MULTILINGUAL = 100_000
"""A vocabulary this large is a multilingual model's (XLM-R has 250,000, mBERT 120,000; English ones 30,000)."""


class OnnxEmbedder:
    """Implements `runtime.Embedder` with onnxruntime on the CPU, one thread.

    Handles both usual exports: a pooled sentence vector [batch, dims], and `last_hidden_state`
    [batch, tokens, dims], which is mean-pooled over the attention mask here.
    """

    leaves_process = False
    contextual = True

    def __init__(self, path: str) -> None:
        folder = Path(path).expanduser()
        model = folder if folder.suffix == ".onnx" else folder / "model.onnx"
        tokenizer = model.parent / "tokenizer.json"
        for needed in (model, tokenizer):
            if not needed.is_file():
                raise ModelError(
                    f"onnx:{path}: there is no {needed.name} in {needed.parent}; "
                    "name a folder with model.onnx and tokenizer.json"
                )
        self._session = _session(model)
        self._tokenizer = _tokenizer(tokenizer)
        self._inputs = [each.name for each in self._session.get_inputs()]
        self.dimensions = int(self.embed(["dimensions"]).shape[1])
        # Folder name for people, file hash so that another model in the same place is another name.
        digest = hashlib.sha256(model.read_bytes()).hexdigest()[:8]
        self.name = f"onnx:{model.parent.name}:{digest}"

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """Unit vectors; texts of like length are batched together, so that little is padded."""
        del query
        order = sorted(range(len(texts)), key=lambda place: (len(texts[place]), place))
        out: list[NDArray[np.float32] | None] = [None] * len(texts)
        for start in range(0, len(order), _BATCH):
            places = order[start : start + _BATCH]
            for place, row in zip(places, self._embed_batch([texts[each] for each in places]), strict=True):
                out[place] = row
        if not texts:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        return np.stack([row for row in out if row is not None])

    def _embed_batch(self, texts: list[str]) -> Vectors:
        encodings = self._tokenizer.encode_batch(texts)
        mask = np.array([encoding.attention_mask for encoding in encodings], dtype=np.int64)
        feeds = {
            "input_ids": np.array([encoding.ids for encoding in encodings], dtype=np.int64),
            "attention_mask": mask,
        }
        if "token_type_ids" in self._inputs:
            feeds["token_type_ids"] = np.zeros_like(mask)
        try:
            output = np.asarray(self._session.run(None, {name: feeds[name] for name in self._inputs})[0])
        except Exception as error:  # onnxruntime raises its own kinds, without a common root in its API
            raise ModelError(f"the ONNX model failed: {error}") from error
        if output.ndim == 3:
            weights = mask[:, :, None].astype(np.float32)
            output = (output * weights).sum(axis=1) / np.maximum(weights.sum(axis=1), 1e-9)
        pooled: Vectors = output.astype(np.float32)
        norms = np.sqrt(np.einsum("ij,ij->i", pooled, pooled))
        pooled /= np.where(norms > 0, norms, 1.0)[:, None]
        return pooled

    def knows(self, language: str) -> float:
        """1 for English, and for every language if the vocabulary is a multilingual model's; else 0.3."""
        if language == "en" or self._tokenizer.get_vocab_size() >= _MULTILINGUAL:
            return 1.0
        return 0.3


def _session(model: Path) -> Any:
    try:
        import onnxruntime
    except ImportError as error:
        raise MissingExtraError("an onnx: model", "onnx") from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    try:
        return onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # as above: its error types are not part of its API
        raise ModelError(f"{model.name} in {model.parent} is not a readable ONNX model: {error}") from error


def _tokenizer(path: Path) -> Any:
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # tokenizers raises plain Exception
        raise ModelError(f"{path.name} in {path.parent} is not a readable tokenizer: {error}") from error
    tokenizer.enable_truncation(max_length=MAX_TOKENS)
    padding = tokenizer.padding or {}
    tokenizer.enable_padding(pad_id=padding.get("pad_id", 0), pad_token=padding.get("pad_token", "[PAD]"))
    return tokenizer
