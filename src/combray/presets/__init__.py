"""Presets: whole pipelines as data. Each is checked when it is loaded."""

from __future__ import annotations

from combray.errors import InvalidInputError
from combray.presets.preset import Preset

__all__ = ["Preset", "load", "names", "sized", "summary"]

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


def sized(preset: Preset, max_memories: int) -> Preset:
    """The preset with its pruning limit set, where it prunes (setting `max_memories`)."""
    from dataclasses import replace

    from combray.pipeline import Transaction, stage_name
    from combray.remember.retain import Prune

    for stage in preset.remember:
        if isinstance(stage, Transaction) and any(isinstance(inner, Prune) for inner in stage.stages):
            inner = tuple(replace(s, most=max_memories) if isinstance(s, Prune) else s for s in stage.stages)
            return replace(
                preset, remember=preset.remember.replace(stage_name(stage), replace(stage, stages=inner))
            )
    return preset
