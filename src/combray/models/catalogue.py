"""The catalogue of models: specs, extras, and the environment variables of keys (never a key)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib.util import find_spec

from combray.models import DETECTORS, EMBEDDERS, JUDGES, LANGUAGE_MODELS, LATE, RERANKERS
from combray.models.services import SERVICES
from combray.records import dataclass

_TABLES = {
    "embedder": EMBEDDERS,
    "late_interaction": LATE,
    "reranker": RERANKERS,
    "judge": JUDGES,
    "guard_model": DETECTORS,
    "language_model": LANGUAGE_MODELS,
}
_IN_PROCESS: Mapping[str, tuple[str, str]] = {"onnx": ("onnxruntime", "onnx")}
"""Provider -> the package it needs, and the extra that installs it."""
_INCLUDED = ("none", "wordllama")


@dataclass(frozen=True, slots=True)
class Offer:
    """One value of a setting. `installed`: its library is present. `key_is_set`: `key_variable` holds a key."""

    kind: str
    spec: str
    about: str
    extra: str = ""
    installed: bool = True
    key_variable: str = ""
    key_is_set: bool = False


def offers() -> list[Offer]:
    """Return every embedder, reranker, judge, guard model and language model, in the order of their tables."""
    return [_offer(kind, spec, about) for kind, table in _TABLES.items() for spec, about in table.items()]


def is_set(variable: str) -> bool:
    """Return whether an environment variable has a value."""
    return bool(variable and os.environ.get(variable, "").strip())


def _offer(kind: str, spec: str, about: str) -> Offer:
    provider = spec.partition(":")[0]
    if provider in _INCLUDED:
        return Offer(kind, spec, about)
    if provider in _IN_PROCESS:
        package, extra = _IN_PROCESS[provider]
        return Offer(kind, spec, about, extra, find_spec(package) is not None)
    variable = SERVICES[provider].key_variable
    return Offer(kind, spec, about, key_variable=variable, key_is_set=is_set(variable))
