"""Presets: whole pipelines as data. Each is checked when it is loaded."""

from __future__ import annotations

from combray.errors import InvalidInputError
from combray.presets.preset import Preset

__all__ = ["Preset", "load", "names", "summary", "tuned"]

_SUMMARIES = {
    "default": "the best recall we know, at any service level; age never multiplies",
    "mnemon": "Mnemon's remember with diff and four edge creators, recall by anchors, beam search and re-ranking",
}


def names() -> list[str]:
    """Names of all presets."""
    return list(_SUMMARIES)


def summary(name: str) -> str:
    """One line about a preset, without loading it."""
    return _SUMMARIES[name]


def load(name: str) -> Preset:
    """The preset of that name. Raises InvalidInputError for an unknown one."""
    if name == "default":
        from combray.presets.default import PRESET

        return PRESET
    if name == "mnemon":
        from combray.presets import mnemon

        return mnemon.PRESET
    raise InvalidInputError("preset", f"{name!r} is not known.", f"Use one of: {', '.join(names())}.")


def tuned(preset: Preset, *, max_memories: int, decay: bool) -> Preset:
    """The preset with the settings that touch its stages: the pruning limit, and the age prior's weight."""
    from combray.presets.tuning import tune

    return tune(preset, max_memories, decay)
