"""The guard's model: a logistic regression over hashed features, trained by `bench/guard`.

A feature's weight is in the bucket that its CRC-32 names. Source: Weinberger et al., "Feature Hashing for Large
Scale Multitask Learning", ICML 2009. The file holds one byte a weight, so it stays small and loads at once.
"""

from __future__ import annotations

import functools
import hashlib
import math
import zlib
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from combray.records import dataclass

FILE = Path(__file__).parent / "weights.bin"
BUCKETS = 1 << 13
"""2^13, so a bucket is 13 bits of 32: the 19 lowest are dropped."""
DAMPING = 0.4
"""Power of the number of features that a sum is divided by: long sentences have more of them."""
COLUMNS = ("outside", "owner")
_HEAD = 2 * 2 * 4 + 32
_SPREAD = 0x9E3779B1


@dataclass(frozen=True)
class Model:
    """Weights by bucket and column, a bias a column, and the digest of what it was trained on.

    Columns: third-party texts, and the owner's, for which instructions about later answers are harmless.
    """

    weights: NDArray[np.float32]
    bias: NDArray[np.float32]
    trained_on: bytes = b""

    def scores(self, sentences: Sequence[NDArray[np.int64]]) -> NDArray[np.float64]:
        """Return the probability of injection of each sentence, given as buckets: one row a column."""
        sizes = np.array([len(each) for each in sentences])
        sums = np.add.reduceat(self.weights[:, np.concatenate(sentences)], np.cumsum(sizes) - sizes, axis=1)
        totals = sums / sizes**DAMPING + self.bias[:, None]
        return 1.0 / (1.0 + np.exp(-totals.astype(np.float64)))

    def share(self, names: Collection[str], column: int) -> float:
        """Return the sum of the weights of some features in a column."""
        return float(self.weights[column, hashed(names)].sum()) if names else 0.0

    def to_bytes(self) -> bytes:
        """Return the file of a model."""
        scale = np.abs(self.weights).max(axis=1).astype("<f4") / 127
        small = np.rint(self.weights / scale[:, None]).astype(np.int8)
        numbers = (scale, self.bias.astype("<f4"), small)
        return b"".join((self.trained_on, *(each.tobytes() for each in numbers)))

    @classmethod
    def from_bytes(cls, data: bytes) -> Model:
        """Read a file of `to_bytes`."""
        scale, bias = np.frombuffer(data[32:_HEAD], dtype="<f4").reshape(2, 2)
        small = np.frombuffer(data[_HEAD:], dtype=np.int8).reshape(2, BUCKETS)
        return cls((small * scale[:, None]).astype(np.float32), bias.astype(np.float32), data[:32])


def hashed(names: Iterable[str]) -> NDArray[np.int64]:
    """Return the buckets of features, each once and in order: sums are the same in every process."""
    crc = zlib.crc32
    buckets = {(crc(name.encode("utf-8", "replace")) * _SPREAD & 0xFFFFFFFF) >> 19 for name in names}
    return np.array(sorted(buckets), dtype=np.int64)


@functools.cache
def model() -> Model:
    """Return the shipped weights."""
    return Model.from_bytes(FILE.read_bytes())


def digest(parts: Iterable[str]) -> bytes:
    """Return the SHA-256 of texts."""
    found = hashlib.sha256()
    for part in parts:
        found.update(part.encode("utf-8", "surrogatepass") + b"\0")
    return found.digest()


def logit(share: float) -> float:
    """Return the sum that has this probability."""
    return math.log(share / (1.0 - share))
