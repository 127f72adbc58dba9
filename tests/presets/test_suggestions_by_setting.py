"""`revision_budget` turns the suggestions of what a text may change on in every preset; without it, in one."""

from __future__ import annotations

import pytest

import combray
from combray import presets
from combray.presets.tuning import tuned
from combray.testing.fakes import FakeClock

OLD, NEW = "I live in Leipzig.", "I live in Porto now."
EMBEDDERS = ("none", "wordllama")


@pytest.mark.parametrize("embedder", EMBEDDERS)
@pytest.mark.parametrize("preset", [each for each in presets.names() if each != "default"])
def test_a_budget_makes_every_preset_ask(preset: str, embedder: str) -> None:
    clock = FakeClock()
    chosen = tuned(presets.load(preset), {"revision_budget": 1.0})
    with combray.open(":memory:", preset=chosen, embedder=embedder, clock=clock, worker=False) as engine:
        old = engine.remember(OLD, author="Ana", diff=False).id
        for text in ("My sister plays the cello", "I like green tea"):
            clock.pass_(days=10)
            engine.remember(text, author="Ana", diff=False)
        clock.pass_(days=40)
        new = engine.remember(NEW, author="Ana")
        assert old == new.replaced_id or old in [each.id for each in new.may_revise]
        if old != new.replaced_id:
            engine.settle(new.id, old, "supersedes")
        assert engine.get(old).superseded_by == new.id
        found = [hit.memory.id for hit in engine.recall("Where do I live?")]
        assert old not in found


@pytest.mark.parametrize("preset", [each for each in presets.names() if each != "default"])
def test_without_a_budget_the_other_presets_ask_nothing(preset: str) -> None:
    names = [type(each).__name__ for each in presets.load(preset).remember.stages]
    assert "KeepRevisions" not in names
    with combray.open(":memory:", preset=preset, embedder="none", worker=False) as engine:
        engine.remember(OLD, author="Ana", diff=False)
        assert engine.remember(NEW, author="Ana", diff=False).may_revise == ()
        assert engine.reader.edges(("may_revise",)) == []
