"""Settings that change a stage of a preset."""

from __future__ import annotations

from dataclasses import replace

from combray.pipeline import Transaction, stage_name
from combray.presets.preset import Preset
from combray.recall.decay import AgePrior
from combray.remember.retain import Prune

DECAY_WEIGHT = 0.05
"""The largest weight at which age costs the default preset no recall worth the name (docs/quality.md)."""


def tune(preset: Preset, max_memories: int, decay: bool) -> Preset:
    """The preset with its pruning limit set, where it prunes, and its age prior switched on, where it has one."""
    for stage in preset.remember:
        if isinstance(stage, Transaction) and any(isinstance(inner, Prune) for inner in stage.stages):
            inner = tuple(replace(s, most=max_memories) if isinstance(s, Prune) else s for s in stage.stages)
            pruning = preset.remember.replace(stage_name(stage), replace(stage, stages=inner))
            preset = replace(preset, remember=pruning)
    if decay and any(isinstance(stage, AgePrior) for stage in preset.recall):
        preset = replace(preset, recall=preset.recall.replace("AgePrior", AgePrior(weight=DECAY_WEIGHT)))
    return preset
