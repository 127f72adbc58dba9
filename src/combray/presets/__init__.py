"""Presets: whole pipelines as data. Each is checked when it is loaded.

A preset is the object `PRESET` of the module of its name (with _ for -), or the object that an entry point of the
group `combray.presets` of an installed package names.
"""

from __future__ import annotations

from importlib import import_module

from combray.errors import InvalidInputError, PluginError
from combray.presets.preset import Preset
from combray.runtime import plugins

__all__ = ["Preset", "load", "names", "others"]

_OURS = ("default", "mnemon", "mnemo", "openclaw", "engram", "semantic-facts")


def names() -> list[str]:
    """Return the names of Combray's own presets."""
    return list(_OURS)


def others() -> list[plugins.Plugin]:
    """Return what installed packages offer as presets, without loading it."""
    return plugins.installed("preset", _OURS)


def load(name: str) -> Preset:
    """Return the preset of that name. Raises InvalidInputError for an unknown one, PluginError for a bad one."""
    if name in _OURS:
        preset: Preset = import_module(f"combray.presets.{name.replace('-', '_')}").PRESET
        return preset
    found = plugins.load("preset", name)
    if found is None:
        known = [*_OURS, *(each.name for each in others() if not each.problem)]
        raise InvalidInputError("preset", f"{name!r} is not known.", f"Use one of: {', '.join(known)}.")
    if not isinstance(found, Preset):
        raise PluginError(f"preset {name!r} is not a combray.stages.Preset, but {type(found).__name__}.")
    return found
