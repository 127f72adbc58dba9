"""Settings that change a stage of a preset."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from combray.pipeline import Pipeline, stage_name, walk
from combray.presets import Preset

Change = Callable[[Any], dict[str, Any]]

TUNED: tuple[tuple[str, str, Change], ...] = (
    ("max_memories", "combray.remember.retain:Prune", lambda value: {"most": value}),
    ("candidate_pool_size", "combray.designs.mnemo.search:SearchPaths", lambda value: {"pool": value}),
    ("candidate_pool_size", "combray.designs.mnemo.results:Rerank", lambda value: {"most": value}),
    ("decay", "combray.recall.score:WeighSignals", lambda value: {"age": 0.05} if value else {}),
    ("decay", "combray.designs.openclaw.search:FileAgeDecay", lambda value: {"enabled": True} if value else {}),
    ("keep", "combray.recall.keep:KeepStrong", lambda value: {"keep": value}),
    ("caution", "combray.recall.evidence:RequireEvidence", lambda value: {"caution": value}),
    ("guard", "combray.remember.guard:Guard", lambda value: {"enabled": bool(value)}),
    ("guard_policy", "combray.remember.guard:Guard", lambda value: {"policy": value}),
    (
        "revision_budget",
        "combray.facts.edges:KeepRevisions",
        lambda value: {"budget": value, "of_turns": value},
    ),
    ("mmr", "combray.designs.shared:MMR", lambda value: {"enabled": True} if value else {}),
    ("mmr_lambda", "combray.designs.shared:MMR", lambda value: {"trade_off": value}),
    ("half_life_days", "combray.designs.openclaw.search:FileAgeDecay", lambda value: {"half_life_days": value}),
    ("vector_weight", "combray.designs.openclaw.search:MergeHybrid", lambda value: {"vector_weight": value}),
    ("text_weight", "combray.designs.openclaw.search:MergeHybrid", lambda value: {"text_weight": value}),
    (
        "candidate_multiplier",
        "combray.designs.openclaw.search:SearchHybrid",
        lambda value: {"pool": min(200, 50 * value)},
    ),
    ("hybrid", "combray.designs.openclaw.search:SearchHybrid", lambda value: {} if value else {"hybrid": False}),
    # After the weights: vectors alone have all the weight.
    (
        "hybrid",
        "combray.designs.openclaw.search:MergeHybrid",
        lambda value: {} if value else {"vector_weight": 1.0, "text_weight": 0.0},
    ),
)
"""Setting, the stage it changes (module:class), and the stage's fields for its value. None changes nothing.

A stage is named and not imported: a read needs no stage of the write pipeline.
"""


def tuned(preset: Preset, settings: Mapping[str, Any]) -> Preset:
    """Return the preset with every stage of `TUNED` set as the settings say."""
    return replace(
        preset,
        remember=Pipeline.deferred(lambda: _tuned(_suggesting(preset.remember, settings), settings)),
        recall=_tuned(preset.recall, settings),
    )


def _suggesting(pipeline: Pipeline[Any], settings: Mapping[str, Any]) -> Pipeline[Any]:
    """Return the write pipeline, with suggestions of what a text may change if a budget for them is set.

    Preset default has them. In the others they are no part of the design that the preset follows.
    """
    if not settings.get("revision_budget"):
        return pipeline
    from combray.facts.candidates import SuggestRevisions
    from combray.facts.edges import KeepRevisions

    names = {stage_name(stage) for stage in walk(pipeline.stages)}
    if "KeepRevisions" in names or not names >= {"TakeSurvey", "Write"}:
        return pipeline
    return pipeline.after("TakeSurvey", SuggestRevisions()).after("Write", KeepRevisions())


def _tuned(pipeline: Pipeline[Any], settings: Mapping[str, Any]) -> Pipeline[Any]:
    changes: dict[str, dict[str, Any]] = {}
    for setting, kind, change in TUNED:
        if settings.get(setting) is not None:
            changes.setdefault(kind, {}).update(change(settings[setting]))
    for stage in walk(pipeline.stages):
        values: dict[str, Any] = {}
        # Also those of a class that the stage's is derived from.
        for each in type(stage).__mro__:
            values |= changes.get(f"{each.__module__}:{each.__qualname__}", {})
        if values:
            pipeline = pipeline.replace(stage_name(stage), replace(stage, **values))
    return pipeline
