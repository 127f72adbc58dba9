"""Reading and running a model folder: `model.onnx` and `tokenizer.json`."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from combray.errors import MissingExtraError, ModelError


def find(path: str) -> tuple[Path, Path]:
    """Model and tokenizer of a folder, or of a .onnx file with its tokenizer beside it. Raises ModelError."""
    folder = Path(path).expanduser()
    model = folder if folder.suffix == ".onnx" else folder / "model.onnx"
    tokenizer = model.parent / "tokenizer.json"
    for needed in (model, tokenizer):
        if not needed.is_file():
            raise ModelError(
                f"onnx:{path}: there is no {needed.name} in {needed.parent}; "
                "name a folder with model.onnx and tokenizer.json"
            )
    return model, tokenizer


def digest(model: Path) -> str:
    """Eight characters that tell the file from another in the same place."""
    return hashlib.sha256(model.read_bytes()).hexdigest()[:8]


def open_session(model: Path) -> Any:
    """An onnxruntime session on one thread. Raises MissingExtraError, ModelError."""
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
    except Exception as error:  # onnxruntime raises its own kinds, without a common root in its API
        raise ModelError(f"{model.name} in {model.parent} is not a readable ONNX model: {error}") from error


def open_tokenizer(path: Path, max_tokens: int) -> Any:
    """A tokenizer that cuts and pads. Raises ModelError."""
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # tokenizers raises plain Exception
        raise ModelError(f"{path.name} in {path.parent} is not a readable tokenizer: {error}") from error
    tokenizer.enable_truncation(max_length=max_tokens)
    padding = tokenizer.padding or {}
    tokenizer.enable_padding(pad_id=padding.get("pad_id", 0), pad_token=padding.get("pad_token", "[PAD]"))
    return tokenizer


def encode(tokenizer: Any, texts: Sequence[Any]) -> list[Any]:
    """Encodings of texts or pairs. Raises ModelError: a tokenizer may lack what it says it has."""
    try:
        encodings: list[Any] = tokenizer.encode_batch(texts)
    except Exception as error:  # as in open_tokenizer
        raise ModelError(f"the tokenizer failed: {error}") from error
    return encodings


def run(session: Any, encodings: Sequence[Any]) -> NDArray[Any]:
    """The model's first output for encoded texts or pairs, fed with those inputs that it has."""
    feeds = {
        "input_ids": np.array([each.ids for each in encodings], dtype=np.int64),
        "attention_mask": np.array([each.attention_mask for each in encodings], dtype=np.int64),
        "token_type_ids": np.array([each.type_ids for each in encodings], dtype=np.int64),
    }
    try:
        return np.asarray(session.run(None, {each.name: feeds[each.name] for each in session.get_inputs()})[0])
    except Exception as error:  # as in open_session
        raise ModelError(f"the ONNX model failed: {error}") from error
