"""Embedders, rerankers, judges and detectors in ONNX format, from a folder or the Hugging Face hub.

They run with onnxruntime on the CPU, one thread. `onnx_files.py` finds their files.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from combray.errors import MissingExtraError, ModelError
from combray.models.onnx_files import CONFIG, POOLINGS, find
from combray.runtime import Entailment, Vectors

MOST_CHARACTERS = 4000
"""Of each text of a pair, as for a reranker over HTTP."""


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


def _by_length(texts: Sequence[Any], places: Iterable[int], size: int) -> Iterator[list[int]]:
    """Yield the places in batches of texts or pairs of similar length, which keeps the padding short."""
    order = sorted(places, key=lambda place: (len("".join(texts[place])), place))
    for start in range(0, len(order), size):
        yield order[start : start + size]


# -- embedders -------------------------------------------------------------------------------------

_EMBEDDED_AT_ONCE = 32
_EMBEDDED_TOKENS = 256
_MULTILINGUAL = 100_000
"""Vocabulary size from which a model counts as multilingual (XLM-R 250,000, mBERT 120,000, English 30,000)."""


class OnnxEmbedder:
    """Implements `runtime.Embedder`.

    Accepts both usual exports: a pooled vector [batch, dims], and `last_hidden_state` [batch, tokens, dims].
    The latter is pooled as `1_Pooling/config.json` says, or as a listed model is known to be: the mean over the
    attention mask, or the first token's vector.
    """

    leaves_process = False
    contextual = True

    def __init__(self, path: str) -> None:
        files = find(path)
        self._session = open_session(files.model)
        self._tokenizer = open_tokenizer(files.tokenizer, _EMBEDDED_TOKENS)
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
        for places in _by_length(texts, range(len(texts)), _EMBEDDED_AT_ONCE):
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


# -- models that load their files at the first call --------------------------------------------------


class LateModel:
    """A model that loads its files at the first call."""

    max_tokens: ClassVar[int]
    at_once: ClassVar[int] = 16

    def __init__(self, path: str) -> None:
        self._files = find(path)
        self._lock = threading.Lock()
        self.name = f"onnx:{self._files.name}"

    def _labels(self) -> Any:
        """Read what the outputs mean. Raises ModelError."""

    @cached_property
    def _opened(self) -> tuple[Any, Any, Any]:
        tokenizer = self._files.tokenizer
        return open_session(self._files.model), open_tokenizer(tokenizer, self.max_tokens), self._labels()

    def _loaded(self) -> tuple[Any, Any, Any]:
        """Return session, tokenizer and what the outputs mean. Raises ModelError, MissingExtraError."""
        with self._lock:
            return self._opened

    def _outputs(self, texts: Sequence[Any], places: Iterable[int]) -> Iterator[tuple[list[int], NDArray[Any]]]:
        """Yield batches of places, with the model's output for the texts or pairs there. Raises ModelError."""
        for batch in _by_length(texts, places, self.at_once):
            session, tokenizer, _ = self._loaded()
            yield batch, run(session, encode(tokenizer, [texts[place] for place in batch]))

    def _named(self, requirement: str) -> list[str]:
        """Return the names of the outputs in their order, in lower case, as `id2label` in config.json gives them.

        `requirement`: which names the caller needs, for the message. Raises ModelError if no output is named
        or the outputs are not numbered from 0.
        """
        problem = f"{self.name}: {CONFIG} {requirement}"
        try:
            content = (self._files.root / CONFIG).read_bytes()
            named = msgspec.json.decode(content, type=dict[str, Any]).get("id2label")
        except (OSError, msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
            raise ModelError(f"{problem}: {error}") from error
        if not isinstance(named, dict) or set(named) != {str(place) for place in range(len(named))}:
            raise ModelError(f"{problem}.")
        return [str(named[str(place)]).casefold() for place in range(len(named))]


def _softmax(logits: NDArray[Any]) -> NDArray[np.float64]:
    """Return the probabilities of each row. A row with a logit that is not finite gives NaN."""
    exact = logits.astype(np.float64)
    with np.errstate(invalid="ignore"):
        raised = np.exp(exact - exact.max(axis=1, keepdims=True))
    shares: NDArray[np.float64] = raised / raised.sum(axis=1, keepdims=True)
    return shares


class OnnxReranker(LateModel):
    """Implements `runtime.Reranker` with a cross-encoder.

    Query and text are encoded as one pair. With one output x, the relevance is 1 / (1 + e^-x). With two, a for
    "irrelevant" and b for "relevant", it is e^b / (e^a + e^b).
    """

    max_tokens = 512

    def rerank(self, query: str, texts: Sequence[str]) -> list[float | None]:
        found: list[float | None] = [None] * len(texts)
        places = [place for place, text in enumerate(texts) if query.strip() and text.strip()]
        pairs = [(query[:MOST_CHARACTERS], text[:MOST_CHARACTERS]) for text in texts]
        for batch, output in self._outputs(pairs, places):
            logits = output.reshape(len(output), -1)
            if len(logits) != len(batch) or logits.shape[1] not in (1, 2):
                raise ModelError(
                    f"{self.name}: the output has shape {output.shape}; "
                    "use a cross-encoder with one or two outputs per pair"
                )
            if logits.shape[1] == 1:
                logits = np.hstack([np.zeros_like(logits), logits])
            for place, row, shares in zip(batch, logits, _softmax(logits), strict=True):
                found[place] = float(shares[1]) if np.isfinite(row).all() else None
        return found


LABELS = ("entailment", "neutral", "contradiction")


class OnnxJudge(LateModel):
    """Implements `runtime.Judge` with a model of natural language inference.

    The order of the three outputs differs between models, so it is read from `id2label` in config.json.
    """

    max_tokens = 256

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Entailment | None]:
        found: list[Entailment | None] = [None] * len(pairs)
        places = [place for place, pair in enumerate(pairs) if all(text.strip() for text in pair)]
        cut = [(premise[:MOST_CHARACTERS], hypothesis[:MOST_CHARACTERS]) for premise, hypothesis in pairs]
        for batch, output in self._outputs(cut, places):
            if output.shape != (len(batch), len(LABELS)):
                raise ModelError(
                    f"{self.name}: the output has shape {output.shape}; use a model with three outputs."
                )
            shares = _softmax(output)[:, self._loaded()[2]]
            for place, row in zip(batch, shares, strict=True):
                found[place] = Entailment(*row.tolist()) if np.isfinite(row).all() else None
        return found

    def _labels(self) -> list[int]:
        """Return the place of each of `LABELS` among the outputs."""
        requirement = f"must name the outputs {', '.join(LABELS)} in id2label"
        named = self._named(requirement)
        if sorted(named) != sorted(LABELS):
            raise ModelError(f"{self.name}: {CONFIG} {requirement}; it has {', '.join(named)}.")
        return [named.index(label) for label in LABELS]


ATTACKS = frozenset(("injection", "jailbreak", "malicious", "attack", "unsafe", "label_1"))
"""Names of outputs, in lower case, that mean an attack. "LABEL_1" is what training leaves without names."""
WINDOW, STEP = 1_500, 1_200
"""Characters of a longer text that are judged at once, and from one window to the next."""
MOST_WINDOWS = 64
"""Windows of a text: what lies behind them is judged by the guard alone."""


class OnnxDetector(LateModel):
    """Implements `runtime.Detector` with a classifier of prompt injection.

    `id2label` in config.json names the outputs; the probability of an attack is the sum of those in `ATTACKS`.
    """

    max_tokens = 512

    def injection(self, text: str) -> float:
        """Return the highest probability of an attack among the windows of a text. Raises ModelError."""
        starts = range(0, max(1, len(text) - WINDOW + STEP), STEP)[:MOST_WINDOWS]
        windows = [text[start : start + WINDOW] for start in starts]
        highest = 0.0
        for batch, output in self._outputs(windows, [at for at, each in enumerate(windows) if each.strip()]):
            attacks, outputs = self._loaded()[2]
            if output.shape != (len(batch), outputs):
                raise ModelError(
                    f"{self.name}: the output has shape {output.shape}; use a classifier with {outputs} outputs."
                )
            shares = _softmax(output)[:, attacks].sum(axis=1)
            if not np.isfinite(shares).all():
                raise ModelError(f"{self.name}: the output is not a number.")
            highest = max(highest, float(shares.max()))
        return highest

    def _labels(self) -> tuple[list[int], int]:
        """Return the places of the outputs that mean an attack, and the number of outputs."""
        requirement = "must name the outputs in id2label, one of them INJECTION"
        named = self._named(requirement)
        attacks = [place for place, label in enumerate(named) if label in ATTACKS]
        if not attacks or len(attacks) == len(named):
            raise ModelError(f"{self.name}: {CONFIG} {requirement}; it has {', '.join(named)}.")
        return attacks, len(named)
