"""Outputs of ONNX classifiers: their names in config.json, and probabilities from logits."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from combray.errors import ModelError
from combray.models import hub
from combray.models.onnx_files import ModelFiles


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
