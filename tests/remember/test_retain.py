"""Judgements are settings of their stage: a stage with other values decides otherwise, wherever it is asked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import combray
from combray import Engine, presets
from combray.consolidate.confidence import PromoteFacts
from combray.consolidate.nightly import NIGHTLY
from combray.designs.mnemo.tiers import MoveTiers
from combray.presets import Preset
from combray.remember.link import LinkTemporal
from combray.remember.retain import Prune, RefreshImportance
from combray.scoring.ageing import ImportanceRule, TierRule
from combray.testing.fakes import FakeClock


def with_stages(name: str, **stages: Any) -> Preset:
    preset = presets.load(name)
    remember = preset.remember
    for stage, changed in stages.items():
        remember = remember.replace(stage, changed)
    return replace(preset, remember=remember)


@pytest.fixture(params=["none", "wordllama"])
def embedder(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def engines(embedder: str) -> Iterator[Any]:
    opened: list[Engine] = []

    def open_with(preset: Preset) -> Engine:
        opened.append(combray.open(":memory:", preset=preset, embedder=embedder, clock=FakeClock(), worker=False))
        return opened[-1]

    yield open_with
    for engine in opened:
        engine.close()


def filled(engine: Engine) -> tuple[str, str]:
    """Two old memories, the second with a single edge less; the third prunes."""
    assert isinstance(engine.runtime.clock, FakeClock)
    first = engine.remember("Ann tends a garden", importance=4, diff=False).id
    second = engine.remember("Zoe sails a boat", importance=3, diff=False).id
    engine.runtime.clock.pass_(days=30)
    return first, second


def test_what_is_immune_is_a_setting_of_prune(engines: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMBRAY_MAX_MEMORIES", "2")
    statuses = {}
    for immune_importance in (4, 5):
        prune = Prune(batch=1, immune_importance=immune_importance)
        low = RefreshImportance(base=(1.0, 1.0, 1.0, 0.1, 1.0))
        engine = engines(with_stages("mnemon", Prune=prune, RefreshImportance=low))
        first, second = filled(engine)
        engine.remember("Bob repairs violins", importance=5, diff=False)
        statuses[immune_importance] = (engine.get(first).status, engine.get(second).status)
    assert statuses == {4: ("active", "forgotten"), 5: ("forgotten", "active")}


def test_keep_and_the_list_go_by_the_stages_of_the_preset(engines: Any) -> None:
    changed = with_stages(
        "mnemon",
        Prune=Prune(immune_accesses=7, immune_importance=6),
        RefreshImportance=RefreshImportance(half_life_days=15.0, per_edge=0.0),
    )
    engine = engines(changed)
    first, _ = filled(engine)
    (before,) = [each for each in engine.retention.candidates(threshold=2.0) if each.memory.id == first]
    assert (before.immune, before.effective_importance) == (False, pytest.approx(0.8 * 0.25))
    assert engine.retention.keep(first).access_count == 7
    (after,) = [each for each in engine.retention.candidates(threshold=2.0) if each.memory.id == first]
    assert after.immune is True


def test_the_rule_of_importance_is_that_of_the_stage(engines: Any) -> None:
    rule = RefreshImportance(base=(0.0, 0.0, 0.25, 0.0, 0.0), per_edge=0.5, most_edges=1)
    engine = engines(with_stages("mnemon", RefreshImportance=rule))
    engine.remember("Alpha rains")
    done = engine.remember("Beta shines")
    assert sum(done.edges_created.values()) >= 1
    assert done.effective_importance == 0.25 * 1.5
    assert ImportanceRule(half_life_days=1.0).effective(5, 0, 2.0, 0) == 0.25


def test_the_bounds_of_the_tiers_are_settings_of_both_stages(engines: Any) -> None:
    tiers = {}
    for name, stage in (("as it is", MoveTiers()), ("soon old", MoveTiers(old_days=10.0))):
        engine = engines(with_stages("mnemo", MoveTiers=stage))
        first, _ = filled(engine)
        engine.remember("Bob repairs violins", diff=False)
        tiers[name] = engine.get(first).tier
    assert tiers == {"as it is": "working", "soon old": "peripheral"}
    night = NIGHTLY.replace("PromoteFacts", PromoteFacts(old_days=10.0))
    (promote,) = [each for each in night if isinstance(each, PromoteFacts)]
    assert promote == PromoteFacts(old_days=10.0) != PromoteFacts()
    assert isinstance(promote, TierRule)


def test_a_long_batch_links_as_many_as_the_stage_says(engines: Any) -> None:
    counts = {}
    for nearest in (10, 80):
        engine = engines(with_stages("mnemon", LinkTemporal=LinkTemporal(nearest=nearest)))
        *_, last = engine.remember_many(
            [{"content": f"note number {at}", "source": f"s{at}"} for at in range(100)], diff=False
        )
        counts[nearest] = last.edges_created["temporal"]
    assert counts == {10: 10, 80: 80}


def test_the_defaults_are_those_of_the_sources() -> None:
    assert Prune() == Prune(most=1000, batch=10, immune_importance=4, immune_accesses=3)
    assert ImportanceRule().base == (0.15, 0.3, 0.5, 0.8, 1.0)
    assert np.isclose(ImportanceRule().effective(5, 0, 30.0, 9), 0.75)
