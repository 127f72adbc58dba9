"""The weights of the features, and the scores they make.

Weights are those of a logistic regression, trained by `bench/guard`, shipped as `tables/weights.json`.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from combray.guard.features import REASONS

_WEIGHTS = Path(__file__).parent / "tables" / "weights.json"
_SHOWN = 3
"""Reasons told of a verdict."""


class Weights(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A bias, and a weight for each name of `features.NAMES`."""

    bias: float
    weights: dict[str, float]


class Model(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`outside`: weights for texts of others; `owner`: for the owner's own, blind to orders about answers."""

    outside: Weights
    owner: Weights


@functools.cache
def model() -> Model:
    """The weights shipped."""
    return msgspec.json.decode(_WEIGHTS.read_bytes(), type=Model)


def score(present: Iterable[str], weighed: Weights) -> float:
    """Logistic of the sum of the weights, in (0, 1)."""
    return logistic(weighed.bias + sum(weighed.weights.get(name, 0.0) for name in present))


def logistic(total: float) -> float:
    """1 / (1 + e^-total), for any total."""
    return 1.0 / (1.0 + math.exp(-max(-50.0, min(50.0, total))))


def reasons(present: Iterable[str], weighed: Mapping[str, float]) -> tuple[str, ...]:
    """The heaviest features in words; that it is an order at all comes last, for it tells least."""
    speaking = [name for name in present if name in REASONS and weighed.get(name, 0.0) > 0]
    speaking.sort(key=lambda name: (name == "imperative", -weighed[name], name))
    return tuple(REASONS[name] for name in speaking[:_SHOWN])
