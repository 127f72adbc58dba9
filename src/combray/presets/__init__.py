"""Presets: whole pipelines as data. Each is checked when it is loaded.

A preset is the object that an entry point of the group `combray.presets` names, whether Combray's own or that of
another package. `OURS` repeats Combray's own: a start reads no metadata of installed packages, and needs none.
"""

from __future__ import annotations

from collections.abc import Mapping

from combray.errors import InvalidInputError, PluginError
from combray.presets.preset import Preset
from combray.runtime import plugins

__all__ = ["OURS", "Preset", "load", "names", "others"]

OURS: Mapping[str, str] = {
    "default": "combray.presets.default:PRESET",
    "mnemon": "combray.designs.mnemon.preset:PRESET",
    "mnemo": "combray.designs.mnemo.preset:PRESET",
    "openclaw": "combray.designs.openclaw.preset:PRESET",
    "engram": "combray.designs.engram.preset:PRESET",
    "semantic-facts": "combray.designs.semantic_facts.preset:PRESET",
}
"""The entry points of `pyproject.toml`: name -> module and object."""


def names() -> list[str]:
    """Return the names of Combray's own presets."""
    return list(OURS)


def others() -> list[plugins.Plugin]:
    """Return what other installed packages offer as presets, without loading it."""
    return plugins.installed("preset", OURS)


def load(name: str) -> Preset:
    """Return the preset of that name. Raises InvalidInputError for an unknown one, PluginError for a bad one."""
    found = plugins.load("preset", name, OURS)
    if found is None:
        known = [*OURS, *(each.name for each in others() if not each.problem)]
        raise InvalidInputError("preset", f"{name!r} is not known.", f"Use one of: {', '.join(known)}.")
    if not isinstance(found, Preset):
        raise PluginError(f"preset {name!r} is not a combray.stages.Preset, but {type(found).__name__}.")
    return found
