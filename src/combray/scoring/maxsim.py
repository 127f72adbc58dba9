"""MaxSim of late interaction.

Source: Khattab and Zaharia, ColBERT (SIGIR 2020), section 3.3. For each token q of the question, max over the
tokens d of a text of cos(q, d). The caller takes the mean over q.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from combray.runtime import Scores


def maxsim(asked: NDArray[np.int8], texts: Sequence[NDArray[np.int8]]) -> list[Scores]:
    """Return for each text the best cosine of each asked token. No text may be without tokens.

    Rows are int8 codes of a direction: their lengths mean nothing.
    """
    if not texts:
        return []
    products = _units(np.concatenate(texts)) @ _units(asked).T
    starts = np.cumsum([0, *(len(each) for each in texts[:-1])])
    return list(np.asarray(np.maximum.reduceat(products, starts, axis=0), dtype=np.float64))


def _units(codes: NDArray[np.int8]) -> NDArray[np.float32]:
    rows = codes.astype(np.float32)
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    return (rows / np.where(lengths > 0, lengths, 1.0)[:, None]).astype(np.float32)
