"""A preset: the default one with a stage more, and fewer edges."""

from __future__ import annotations

from dataclasses import replace

from combray import presets
from combray.remember.link import LinkTemporal
from combray.stages import Preset
from combray_acme.stages import PreferPinned

_DEFAULT = presets.load("default")

PRESET = Preset(
    name="acme.notes",
    summary="the default preset, with a bonus for memories tagged `pinned`",
    source="the example plugin of Combray",
    remember=replace(
        # The stage is inside the transaction; edits find it there.
        _DEFAULT.remember.replace("LinkTemporal", LinkTemporal(nearest=1)),
        name="acme.notes.remember",
    ),
    recall=replace(_DEFAULT.recall.after("WeighSignals", PreferPinned()), name="acme.notes.recall"),
)
