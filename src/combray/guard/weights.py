"""Feature weights and scores: a logistic regression, trained by `bench/guard`."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from combray.guard.features import REASONS

_WEIGHTS = Path(__file__).parent / "weights.json"
_SHOWN = 3
"""Reasons reported with a judgement."""


class Weights(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A bias, and weights by feature name."""

    bias: float
    weights: dict[str, float]


class Context(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Weights of a sentence's distance from its text, added to those of third-party texts.

    `embedder`: name of the embedder whose distances they were trained on.
    """

    embedder: str
    weights: Weights


class Model(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`outside`: weights for third-party texts; `owner`: for the owner's, without features about answers.

    `trained_on`: the SHA-256 of the training texts and of a sample of their features (`bench.guard.training`).
    """

    outside: Weights
    owner: Weights
    context: Context | None = None
    trained_on: str = ""


@functools.cache
def model() -> Model:
    """Return the shipped weights."""
    return msgspec.json.decode(_WEIGHTS.read_bytes(), type=Model)


def score(present: Iterable[str], weighed: Weights, raised: float = 0.0) -> float:
    """Return the probability of injection, in (0, 1). `raised` is added before the logistic function."""
    # Sorted: the order of a set differs between processes, and with it the last digits of a sum.
    known = weighed.weights
    return logistic(weighed.bias + raised + sum([known[name] for name in sorted(present) if name in known]))


def raised(far: Iterable[str], weighed: Weights) -> float:
    """Return what the features of distance add to a sum: never less than 0, so that no text hides a sentence."""
    return max(0.0, weighed.bias + sum([weighed.weights.get(name, 0.0) for name in far]))


def logistic(total: float) -> float:
    """Return 1 / (1 + e^-total), clamped against overflow."""
    return 1.0 / (1.0 + math.exp(-max(-50.0, min(50.0, total))))


def reasons(present: Iterable[str], weighed: Mapping[str, float]) -> tuple[str, ...]:
    """Return the features with the largest weights, in words; "is imperative" last."""
    speaking = [name for name in present if name in REASONS and weighed.get(name, 0.0) > 0]
    speaking.sort(key=lambda name: (name == "imperative", -weighed[name], name))
    return tuple(dict.fromkeys(REASONS[name] for name in speaking))[:_SHOWN]
