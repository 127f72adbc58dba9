"""Cross-encoders in ONNX format, from a folder or the Hugging Face hub."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from combray.errors import ModelError
from combray.models.onnx_files import LateModel, by_length
from combray.models.rerankers import MOST_CHARACTERS, logistic

MAX_TOKENS = 512
_BATCH = 16


class OnnxReranker(LateModel):
    """Implements `runtime.Reranker`.

    Query and text are encoded as one pair. With one output x, the relevance is 1 / (1 + e^-x). With two, a for
    "irrelevant" and b for "relevant", it is e^b / (e^a + e^b).
    """

    max_tokens = MAX_TOKENS

    def rerank(self, query: str, texts: Sequence[str]) -> list[float | None]:
        found: list[float | None] = [None] * len(texts)
        if not query.strip():
            return found
        places = [place for place, text in enumerate(texts) if text.strip()]
        for batch in by_length(texts, places, _BATCH):
            pairs = [(query[:MOST_CHARACTERS], texts[place][:MOST_CHARACTERS]) for place in batch]
            for place, logit in zip(batch, self._score(pairs).tolist(), strict=True):
                found[place] = logistic(logit) if np.isfinite(logit) else None
        return found

    def _score(self, pairs: list[tuple[str, str]]) -> NDArray[np.float64]:
        """Return one logit per pair."""
        output, _ = self._run(pairs)
        logits = output.astype(np.float64).reshape(len(output), -1)
        if len(logits) != len(pairs) or logits.shape[1] not in (1, 2):
            raise ModelError(
                f"{self.name}: the output has shape {output.shape}; "
                "use a cross-encoder with one or two outputs per pair"
            )
        return logits[:, -1] if logits.shape[1] == 1 else logits[:, 1] - logits[:, 0]
