"""Models of natural language inference in ONNX format, from a folder or the Hugging Face hub."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from combray.errors import ModelError
from combray.models import hub
from combray.models.onnx_files import LateModel, by_length, labels, softmax
from combray.models.rerankers import MOST_CHARACTERS
from combray.runtime import Entailment

LABELS = ("entailment", "neutral", "contradiction")
MAX_TOKENS = 256
_BATCH = 16


class OnnxJudge(LateModel):
    """Implements `runtime.Judge`.

    The order of the three outputs differs between models, so it is read from `id2label` in config.json.
    """

    max_tokens = MAX_TOKENS

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Entailment | None]:
        found: list[Entailment | None] = [None] * len(pairs)
        texts = [f"{premise} {hypothesis}" for premise, hypothesis in pairs]
        places = [place for place, pair in enumerate(pairs) if all(text.strip() for text in pair)]
        for batch in by_length(texts, places, _BATCH):
            cut = [(pairs[place][0][:MOST_CHARACTERS], pairs[place][1][:MOST_CHARACTERS]) for place in batch]
            for place, row in zip(batch, self._shares(cut), strict=True):
                found[place] = Entailment(*row.tolist()) if np.isfinite(row).all() else None
        return found

    def _outputs(self) -> list[int]:
        """Return the place of each of `LABELS` among the outputs."""
        requirement = f"must name the outputs {', '.join(LABELS)} in id2label"
        named = labels(self._files, requirement)
        if sorted(named) != sorted(LABELS):
            raise ModelError(f"{self.name}: {hub.CONFIG} {requirement}; it has {', '.join(named)}.")
        return [named.index(label) for label in LABELS]

    def _shares(self, pairs: list[tuple[str, str]]) -> NDArray[np.float64]:
        """Return the softmax of the logits, columns in the order of `LABELS`."""
        output, places = self._run(pairs)
        if output.shape != (len(pairs), len(LABELS)):
            raise ModelError(f"{self.name}: the output has shape {output.shape}; use a model with three outputs.")
        shares: NDArray[np.float64] = softmax(output)[:, places]
        return shares
