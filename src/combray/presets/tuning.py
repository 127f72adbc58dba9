"""Settings that change a stage of a preset."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from combray.pipeline import Pipeline, stage_name, walk
from combray.presets.preset import Preset
from combray.recall.decay import AgePrior, FileAgeDecay
from combray.recall.hybrid import MergeHybrid, SearchHybrid
from combray.recall.keep import KeepStrong
from combray.recall.order import MMR
from combray.recall.rerank import Rerank
from combray.recall.search_paths import SearchPaths
from combray.remember.guard import Guard
from combray.remember.retain import Prune
from combray.remember.revisions import KeepRevisions

Change = Callable[[Any], dict[str, Any]]

TUNED: tuple[tuple[str, type[Any], Change], ...] = (
    ("max_memories", Prune, lambda value: {"most": value}),
    ("candidate_pool_size", SearchPaths, lambda value: {"pool": value}),
    ("candidate_pool_size", Rerank, lambda value: {"most": value}),
    ("decay", AgePrior, lambda value: {"enabled": True} if value else {}),
    ("decay", FileAgeDecay, lambda value: {"enabled": True} if value else {}),
    ("keep", KeepStrong, lambda value: {"keep": value}),
    ("guard", Guard, lambda value: {"enabled": bool(value)}),
    ("revision_budget", KeepRevisions, lambda value: {"budget": value}),
    ("mmr", MMR, lambda value: {"enabled": True} if value else {}),
    ("mmr_lambda", MMR, lambda value: {"trade_off": value}),
    ("half_life_days", FileAgeDecay, lambda value: {"half_life_days": value}),
    ("vector_weight", MergeHybrid, lambda value: {"vector_weight": value}),
    ("text_weight", MergeHybrid, lambda value: {"text_weight": value}),
    ("candidate_multiplier", SearchHybrid, lambda value: {"pool": min(200, 50 * value)}),
    ("hybrid", SearchHybrid, lambda value: {} if value else {"hybrid": False}),
    # After the weights: vectors alone have all the weight.
    ("hybrid", MergeHybrid, lambda value: {} if value else {"vector_weight": 1.0, "text_weight": 0.0}),
)
"""Setting, the stage it changes, and the stage's fields for its value. None leaves the stage as it is."""


def tuned(preset: Preset, settings: Mapping[str, Any]) -> Preset:
    """Return the preset with every stage of `TUNED` set as the settings say."""
    return replace(preset, remember=_tuned(preset.remember, settings), recall=_tuned(preset.recall, settings))


def _tuned(pipeline: Pipeline[Any], settings: Mapping[str, Any]) -> Pipeline[Any]:
    for stage in walk(pipeline.stages):
        values: dict[str, Any] = {}
        for setting, kind, change in TUNED:
            if isinstance(stage, kind) and settings.get(setting) is not None:
                values |= change(settings[setting])
        if values:
            pipeline = pipeline.replace(stage_name(stage), replace(stage, **values))
    return pipeline
