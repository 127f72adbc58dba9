"""ONNX models and their tokenizers: find the files, load them, run them, read what classifiers return."""

from __future__ import annotations

import hashlib
import os
import re
import threading
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from combray.errors import MissingExtraError, ModelError
from combray.models import hub
from combray.models.known import KNOWN, with_digest
from combray.records import dataclass

WEIGHTS = re.compile(r"(_data(_\d+)?|\.data)")
"""Suffixes of external weight files, after the name of the model file."""
POOLINGS = ("mean", "cls")
"""Supported poolings: the mean of the token vectors, or the first token's vector."""


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """The files of a model. `name`: of the folder, or ORG/NAME. `root`: the folder, or the cached revision."""

    name: str
    root: Path
    model: Path
    tokenizer: Path

    def weights(self) -> list[Path]:
        """Return the external weight files beside the model."""
        return sorted(
            each
            for each in self.model.parent.iterdir()
            if each.name.startswith(self.model.name) and WEIGHTS.fullmatch(each.name[len(self.model.name) :])
        )

    def digest(self) -> str:
        """Return eight characters of the SHA-256 of model and weights."""
        hashed = hashlib.sha256()
        for path in (self.model, *self.weights()):
            with path.open("rb") as file:
                while part := file.read(1 << 20):
                    hashed.update(part)
        return hashed.hexdigest()[:8]

    def pooling(self) -> str:
        """Return the pooling that `1_Pooling/config.json` names, or that of a listed model. Raises ModelError.

        It is never guessed: the mean of a model that was trained on its first token finds next to nothing.
        """
        path = self.root / hub.POOLING
        if not path.is_file():
            listed = with_digest(self.digest())
            if listed is not None and listed.pooling:
                return listed.pooling
            raise ModelError(
                f"onnx:{self.name}: the output has a vector for each token, and nothing says how to pool them. "
                f'Write {{"pooling_mode": "mean"}} or {{"pooling_mode": "cls"}}, as the model\'s page says, to '
                f"{path}."
            )
        try:
            told = msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
            raise ModelError(f"onnx:{self.name}: {hub.POOLING} cannot be read: {error}") from error
        prefix = "pooling_mode_"
        flags = [name.removeprefix(prefix) for name, on in told.items() if name.startswith(prefix) and on is True]
        named = [told["pooling_mode"]] if "pooling_mode" in told else flags
        return "+".join(str(each).removesuffix("_tokens").removesuffix("_token") for each in named) or "mean"


def find(path: str) -> ModelFiles:
    """Return the files of a folder, a .onnx file, a listed model or a cached hub id. Raises ModelError.

    An existing folder takes precedence over a name or an id that equals its path.
    """
    place = Path(os.path.expanduser(path))  # noqa: PTH111 - Path's raises for unknown users
    named = hub.read(path)
    if named is not None and not place.exists():
        root, model = hub.cached(named)
        # Without the revision: pinning one must not re-embed a store. The digest distinguishes revisions.
        return _in_folder(path, root, model, name=named.repository)
    if path in KNOWN and not place.exists():
        if not KNOWN[path].folder.is_dir():
            raise ModelError(f"onnx:{path}: not fetched yet; download it with: combray models fetch {path}")
        place = KNOWN[path].folder
    if place.suffix != ".onnx":
        inside = [each for each in hub.MODELS if (place / each).is_file()]
        return _in_folder(path, place, *inside[:1])
    # `onnx/` would not be a useful name.
    root = place.parent.parent if place.parent.name == "onnx" else place.parent
    return _in_folder(path, root, place.relative_to(root).as_posix())


def _in_folder(path: str, root: Path, model: str = hub.MODELS[0], *, name: str = "") -> ModelFiles:
    tokenizers = [root / each for each in hub.tokenizers_of(model)]
    tokenizer = next((each for each in tokenizers if each.is_file()), tokenizers[-1])
    found = ModelFiles(name or root.name, root, root / model, tokenizer)
    for needed in (found.model, found.tokenizer):
        if not needed.is_file():
            raise ModelError(
                f"onnx:{path}: there is no {needed.name} in {needed.parent}; "
                "name a folder with model.onnx and tokenizer.json, or a model of the hub: onnx:ORG/NAME"
            )
    return found


def open_session(model: Path) -> Any:
    """Open an onnxruntime session on one thread. Raises MissingExtraError, ModelError."""
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
    except Exception as error:  # onnxruntime exports no common base class
        raise ModelError(f"{model.name} in {model.parent} is not a readable ONNX model: {error}") from error


def open_tokenizer(path: Path, max_tokens: int) -> Any:
    """Load a tokenizer that truncates and pads. Raises ModelError."""
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
    """Encode texts or pairs. Raises ModelError: a tokenizer file may be inconsistent."""
    try:
        encodings: list[Any] = tokenizer.encode_batch(texts)
    except Exception as error:  # as in open_tokenizer
        raise ModelError(f"the tokenizer failed: {error}") from error
    return encodings


def by_length(texts: Sequence[str], places: Iterable[int], size: int) -> Iterator[list[int]]:
    """Yield the places in batches of texts of similar length, which keeps the padding short."""
    order = sorted(places, key=lambda place: (len(texts[place]), place))
    for start in range(0, len(order), size):
        yield order[start : start + size]


def run(session: Any, encodings: Sequence[Any]) -> NDArray[Any]:
    """Return the model's first output for encoded texts or pairs. Only inputs that it declares are fed."""
    feeds = {
        "input_ids": np.array([each.ids for each in encodings], dtype=np.int64),
        "attention_mask": np.array([each.attention_mask for each in encodings], dtype=np.int64),
        "token_type_ids": np.array([each.type_ids for each in encodings], dtype=np.int64),
    }
    try:
        return np.asarray(session.run(None, {each.name: feeds[each.name] for each in session.get_inputs()})[0])
    except Exception as error:  # as in open_session
        raise ModelError(f"the ONNX model failed: {error}") from error


class LateModel:
    """A model that loads its files at the first call, with onnxruntime on the CPU, one thread."""

    max_tokens: ClassVar[int]

    def __init__(self, path: str) -> None:
        self._files = find(path)
        self._lock = threading.Lock()
        self.name = f"onnx:{self._files.name}"

    def _outputs(self) -> Any:
        """Read what the outputs mean. Raises ModelError."""

    @cached_property
    def _loaded(self) -> tuple[Any, Any, Any]:
        tokenizer = self._files.tokenizer
        return open_session(self._files.model), open_tokenizer(tokenizer, self.max_tokens), self._outputs()

    def _run(self, texts: Sequence[Any]) -> tuple[NDArray[Any], Any]:
        """Return the model's output for texts or pairs, and what its outputs mean. Raises ModelError."""
        with self._lock:
            session, tokenizer, outputs = self._loaded
        return run(session, encode(tokenizer, texts)), outputs


def labels(files: ModelFiles, requirement: str) -> list[str]:
    """Return the names of the outputs in their order, in lower case, as `id2label` in config.json gives them.

    `requirement`: which names the caller needs, for the message. Raises ModelError if no output is named
    or the outputs are not numbered from 0.
    """
    problem = f"onnx:{files.name}: {hub.CONFIG} {requirement}"
    try:
        named = msgspec.json.decode((files.root / hub.CONFIG).read_bytes(), type=dict[str, Any]).get("id2label")
    except (OSError, msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise ModelError(f"{problem}: {error}") from error
    if not isinstance(named, dict) or set(named) != {str(place) for place in range(len(named))}:
        raise ModelError(f"{problem}.")
    return [str(named[str(place)]).casefold() for place in range(len(named))]


def softmax(logits: NDArray[Any]) -> NDArray[np.float64]:
    """Return the probabilities of each row. A row with a logit that is not finite gives NaN."""
    exact = logits.astype(np.float64)
    with np.errstate(invalid="ignore"):
        raised = np.exp(exact - exact.max(axis=1, keepdims=True))
    shares: NDArray[np.float64] = raised / raised.sum(axis=1, keepdims=True)
    return shares
