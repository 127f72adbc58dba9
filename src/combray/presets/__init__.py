"""Presets: whole pipelines as data. Each is checked when it is loaded."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from combray.errors import InvalidInputError
from combray.presets.preset import Preset

__all__ = ["Preset", "load", "names", "summary", "tuned"]

_SUMMARIES = {
    "default": "the best recall we know, at any service level; age never multiplies",
    "mnemon": "Mnemon's remember with diff and four edge creators, recall by anchors, beam search and re-ranking",
    "mnemo": "Mnemo's ten stages: vector, BM25 and graph path fused by rank, Weibull decay by tier, noise bank",
    "openclaw": "OpenClaw's vector and keyword search, 0.7 to 0.3; file age and MMR can be switched on",
    "engram": "Engram's six stages: trivial check, dates, pronouns, parallel search and peers, composite, types",
    "semantic-facts": "facts and episodes by similarity, confidence and recency, the surest of a cluster first",
}
"""Name -> summary; the preset itself is `PRESET` in the module of that name, with _ for -."""


def names() -> list[str]:
    """Names of all presets."""
    return list(_SUMMARIES)


def summary(name: str) -> str:
    """One line about a preset, without loading it."""
    return _SUMMARIES[name]


def load(name: str) -> Preset:
    """The preset of that name. Raises InvalidInputError for an unknown one."""
    if name not in _SUMMARIES:
        raise InvalidInputError("preset", f"{name!r} is not known.", f"Use one of: {', '.join(names())}.")
    preset: Preset = import_module(f"combray.presets.{name.replace('-', '_')}").PRESET
    return preset


def tuned(preset: Preset, settings: Mapping[str, Any]) -> Preset:
    """The preset with the settings that touch its stages (`presets/tuning.py` has the table)."""
    from combray.presets.tuning import tune

    return tune(preset, settings)
