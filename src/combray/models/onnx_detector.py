"""Classifiers of prompt injection in ONNX format, from a folder or the Hugging Face hub."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from combray.errors import ModelError
from combray.models import hub
from combray.models.onnx_files import LateModel, by_length, labels, softmax

ATTACKS = frozenset(("injection", "jailbreak", "malicious", "attack", "unsafe", "label_1"))
"""Names of outputs, in lower case, that mean an attack. "LABEL_1" is what training leaves without names."""
MAX_TOKENS = 512
WINDOW, STEP = 1_500, 1_200
"""Characters of a longer text that are judged at once, and from one window to the next."""
MOST_WINDOWS = 64
"""Windows of a text: what lies behind them is judged by the guard alone."""
_BATCH = 16


class OnnxDetector(LateModel):
    """Implements `runtime.Detector`.

    `id2label` in config.json names the outputs; the probability of an attack is the sum of those in `ATTACKS`.
    """

    max_tokens = MAX_TOKENS

    def injection(self, text: str) -> float:
        """Return the highest probability of an attack among the windows of a text. Raises ModelError."""
        starts = range(0, max(1, len(text) - WINDOW + STEP), STEP)[:MOST_WINDOWS]
        windows = [text[start : start + WINDOW] for start in starts]
        places = [place for place, window in enumerate(windows) if window.strip()]
        found = [0.0]
        for batch in by_length(windows, places, _BATCH):
            found += self._shares([windows[place] for place in batch])
        return max(found)

    def _outputs(self) -> tuple[list[int], int]:
        """Return the places of the outputs that mean an attack, and the number of outputs."""
        requirement = "must name the outputs in id2label, one of them INJECTION"
        named = labels(self._files, requirement)
        attacks = [place for place, label in enumerate(named) if label in ATTACKS]
        if not attacks or len(attacks) == len(named):
            raise ModelError(f"{self.name}: {hub.CONFIG} {requirement}; it has {', '.join(named)}.")
        return attacks, len(named)

    def _shares(self, texts: Sequence[str]) -> list[float]:
        output, (attacks, outputs) = self._run(texts)
        if output.shape != (len(texts), outputs):
            raise ModelError(
                f"{self.name}: the output has shape {output.shape}; use a classifier with {outputs} outputs."
            )
        shares = softmax(output)[:, attacks].sum(axis=1)
        if not np.isfinite(shares).all():
            raise ModelError(f"{self.name}: the output is not a number.")
        return [float(share) for share in shares]
