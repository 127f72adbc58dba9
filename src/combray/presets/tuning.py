"""Settings that change a stage of a preset."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from combray.pipeline import Pipeline, Transaction, stage_name
from combray.presets.preset import Preset
from combray.recall.decay import AgePrior
from combray.recall.diversify import MMR
from combray.recall.file_age import FileAgeDecay
from combray.recall.rerank import Rerank
from combray.recall.search_paths import SearchPaths
from combray.remember.guard import Guard
from combray.remember.retain import Prune

DECAY_WEIGHT = 0.05
"""The largest weight at which age costs the default preset no measurable recall (bench/results/quality.md)."""

Change = Callable[[Any], dict[str, Any]]

TUNED: tuple[tuple[str, type[Any], Change], ...] = (
    ("max_memories", Prune, lambda value: {"most": value}),
    ("candidate_pool_size", SearchPaths, lambda value: {"pool": value}),
    ("candidate_pool_size", Rerank, lambda value: {"most": value}),
    ("decay", AgePrior, lambda value: {"weight": DECAY_WEIGHT} if value else {}),
    ("decay", FileAgeDecay, lambda value: {"enabled": True} if value else {}),
    ("guard", Guard, lambda value: {"enabled": bool(value)}),
    ("mmr", MMR, lambda value: {"enabled": True} if value else {}),
)
"""Setting, the stage it touches, and the stage's fields for the setting's value."""


def tune(preset: Preset, settings: Mapping[str, Any]) -> Preset:
    """The preset with every stage of the table set as the settings say; stages inside a transaction too."""
    return replace(preset, remember=_tuned(preset.remember, settings), recall=_tuned(preset.recall, settings))


def _tuned(pipeline: Pipeline[Any], settings: Mapping[str, Any]) -> Pipeline[Any]:
    for stage in pipeline:
        changed = _changed(stage, settings)
        if changed is not stage:
            pipeline = pipeline.replace(stage_name(stage), changed)
    return pipeline


def _changed(stage: Any, settings: Mapping[str, Any]) -> Any:
    if isinstance(stage, Transaction):
        inner = tuple(_changed(each, settings) for each in stage.stages)
        same = all(new is old for new, old in zip(inner, stage.stages, strict=True))
        return stage if same else replace(stage, stages=inner)
    values: dict[str, Any] = {}
    for setting, kind, change in TUNED:
        if isinstance(stage, kind) and setting in settings:
            values |= change(settings[setting])
    return replace(stage, **values) if values else stage
