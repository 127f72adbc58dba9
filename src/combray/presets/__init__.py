"""Presets: whole pipelines as data. Each is checked when it is loaded.

A preset is the object that an entry point of the group `combray.presets` names, whether Combray's own or that of
another package. `OURS` repeats Combray's own: a start reads no metadata of installed packages, and needs none.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from combray.errors import InvalidInputError, PluginError
from combray.pipeline import Pipeline
from combray.records import dataclass, field
from combray.runtime import plugins

if TYPE_CHECKING:
    from combray.forms.recalling import Recalling
    from combray.forms.remembering import Remembering

__all__ = ["OURS", "READ", "WRITE", "Preset", "load", "names", "others"]

READ = ("query",)
WRITE = ("items",)


@dataclass(frozen=True)
class Preset:
    """A write and a read pipeline under one name, and where they come from.

    `queues`: whether writes leave their vectors to a worker. With None the write pipeline is loaded to find out,
    which doubles the time of opening a store. `fades`: whether consolidation lets the confidence of stored
    facts decay, until it deprecates them, and not only that of facts that it derived.
    """

    name: str
    summary: str
    source: str
    remember: Pipeline[Remembering]
    recall: Pipeline[Recalling]
    notes: dict[str, str] = field(default_factory=dict)
    queues: bool | None = None
    fades: bool = False


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
