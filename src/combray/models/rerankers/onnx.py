"""Cross-encoders exported to ONNX: a folder with `model.onnx` and `tokenizer.json`, or an id of the hub."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from combray.errors import ModelError
from combray.models.onnx_files import encode, find, open_session, open_tokenizer, run
from combray.models.rerankers.posted import MOST_CHARACTERS, logistic

MAX_TOKENS = 512
_BATCH = 16


class OnnxReranker:
    """Implements `runtime.Reranker` with onnxruntime on the CPU, one thread; reads its files at the first call.

    Query and text are encoded as one pair. A model with one output gives a logit, relevance 1 / (1 + e^-x);
    one with two gives those of "irrelevant" and "relevant", relevance e^b / (e^a + e^b).
    """

    def __init__(self, path: str) -> None:
        self._files = find(path)
        self._lock = threading.Lock()
        self.name = f"onnx:{self._files.name}"

    def rerank(self, query: str, texts: Sequence[str]) -> list[float | None]:
        """One relevance in [0, 1] a text, in order; None for an empty text. Raises ModelError."""
        found: list[float | None] = [None] * len(texts)
        if not query.strip():
            return found
        places = [place for place, text in enumerate(texts) if text.strip()]
        # Pairs of like length together, so that little is padded.
        places.sort(key=lambda place: (len(texts[place]), place))
        for start in range(0, len(places), _BATCH):
            batch = places[start : start + _BATCH]
            pairs = [(query[:MOST_CHARACTERS], texts[place][:MOST_CHARACTERS]) for place in batch]
            for place, logit in zip(batch, self._score(pairs).tolist(), strict=True):
                found[place] = logistic(logit) if np.isfinite(logit) else None
        return found

    @property
    def _opened(self) -> tuple[Any, Any]:
        with self._lock:
            return self._loaded

    @cached_property
    def _loaded(self) -> tuple[Any, Any]:
        return open_session(self._files.model), open_tokenizer(self._files.tokenizer, MAX_TOKENS)

    def _score(self, pairs: list[tuple[str, str]]) -> NDArray[np.float64]:
        """One logit a pair."""
        session, tokenizer = self._opened
        output = run(session, encode(tokenizer, pairs))
        logits = output.astype(np.float64).reshape(len(output), -1)
        if len(logits) != len(pairs) or logits.shape[1] not in (1, 2):
            raise ModelError(
                f"{self.name}: gives an output of shape {output.shape}; "
                "name a cross-encoder with one or two outputs a pair"
            )
        return logits[:, -1] if logits.shape[1] == 1 else logits[:, 1] - logits[:, 0]
