"""The bands of confidence, and the ways back from deprecation."""

from __future__ import annotations

import nights
import pytest

import combray
from combray.testing.fakes import FakeClock


def test_after_85_days_without_evidence_a_fact_is_out_of_retrieval() -> None:
    """Semantic facts, section 3: "< 0.3: Auto-deprecate (status='deprecated', excluded from all retrieval)"."""
    clock = FakeClock()
    with nights.opened(clock=clock) as engine:
        fact = nights.know(engine, nights.OFFICE)
        clock.pass_(days=84)
        engine.consolidation.run()
        assert engine.get(fact).status == "active"
        clock.pass_(days=1)
        done = engine.consolidation.run()
        assert done.counts == {"fade": 1, "deprecate": 1}
        assert engine.get(fact).status == "deprecated"
        assert not engine.recall("office in Berlin")
        assert not engine.search("office in Berlin")


def test_new_evidence_brings_a_deprecated_fact_back() -> None:
    clock = FakeClock()
    with nights.opened(clock=clock) as engine:
        fact = nights.know(engine, nights.TEA)
        clock.pass_(days=100)
        engine.consolidation.run()
        assert engine.get(fact).status == "deprecated"
        nights.hear(engine, nights.TEA_SAID)
        clock.pass_(days=1)
        assert engine.consolidation.run().counts == {"support": 1, "revive": 1, "move_tier": 1}
        assert (engine.get(fact).status, engine.get(fact).confidence) == ("active", 0.71)


def test_what_a_person_restored_starts_afresh_and_is_not_deprecated_the_next_night() -> None:
    clock = FakeClock()
    with nights.opened(clock=clock) as engine:
        fact = nights.know(engine, nights.OFFICE)
        clock.pass_(days=100)
        engine.consolidation.run()
        engine.restore(fact)
        clock.pass_(days=10)
        engine.consolidation.run()
        # 0.7 * exp(-0.1) = 0.6334 since the restoring.
        assert (engine.get(fact).status, engine.get(fact).confidence) == ("active", 0.64)
        assert engine.consolidation.run().counts == {}
        clock.pass_(days=90)
        engine.consolidation.run()
        assert engine.get(fact).status == "deprecated"


def test_a_fact_that_was_never_believed_stays_when_a_person_restores_it() -> None:
    clock = FakeClock()
    with nights.opened(clock=clock) as engine:
        fact = nights.know(engine, nights.OFFICE, confidence=0.2)
        engine.consolidation.run()
        assert engine.get(fact).status == "deprecated"
        engine.restore(fact)
        clock.pass_(days=1)
        engine.consolidation.run()
        assert engine.get(fact).status == "active"


def test_episodes_and_forgotten_facts_do_not_fade() -> None:
    clock = FakeClock()
    with nights.opened(clock=clock) as engine:
        said, gone = nights.hear(engine, nights.TEA_SAID), nights.know(engine, nights.OFFICE)
        engine.forget(gone)
        clock.pass_(days=200)
        assert engine.consolidation.run().counts == {}
        assert engine.get(said).confidence == engine.get(gone).confidence == 0.7


@pytest.mark.parametrize("embedder", ["none", "wordllama"])
@pytest.mark.parametrize("preset", ["default", "mnemon", "mnemo", "openclaw", "engram"])
def test_what_was_stored_once_is_found_after_two_years_of_nights(preset: str, embedder: str) -> None:
    """Nobody repeats a passport number. Only the Semantic Fact System deprecates a stored fact for its age."""
    clock = FakeClock()
    with combray.open(":memory:", preset=preset, embedder=embedder, clock=clock) as engine:
        fact = engine.remember("My passport number is X123456", author="user").id
        for _ in range(24):
            clock.pass_(days=30)
            engine.consolidation.run()
        assert (engine.get(fact).status, engine.get(fact).confidence) == ("active", 0.7)
        assert [hit.memory.id for hit in engine.recall("What is my passport number?")] == [fact]


def test_the_semantic_fact_system_deprecates_it() -> None:
    """Section 3: "< 0.3: Auto-deprecate"; 0.7 exp(-0.01 days) is below 0.3 from day 85 on."""
    clock = FakeClock()
    with combray.open(":memory:", preset="semantic-facts", embedder="none", clock=clock) as engine:
        fact = engine.remember("My passport number is X123456", author="user").id
        clock.pass_(days=85)
        engine.consolidation.run()
        assert engine.get(fact).status == "deprecated"


def test_what_was_deprecated_for_its_age_alone_comes_back() -> None:
    """A store of an earlier version, or one that was opened with another preset."""
    clock = FakeClock()
    with nights.opened(clock=clock) as engine:
        fact = nights.know(engine, nights.OFFICE)
        clock.pass_(days=100)
        engine.consolidation.run()
        assert engine.get(fact).status == "deprecated"
        engine._at.preset = combray.presets.load("default")
        assert "revive" in engine.consolidation.run().counts
        assert (engine.get(fact).status, engine.get(fact).confidence) == ("active", 0.7)


def test_a_derived_fact_still_fades_and_its_turn_answers() -> None:
    clock = FakeClock()
    with nights.opened(clock=clock, distil=True, fades=False) as engine:
        nights.hear(engine, "I live in Berlin", author="Ann")
        clock.pass_(days=1)
        engine.consolidation.run()
        (fact,) = engine.recall("Where does Ann live?", kinds=["fact"])
        clock.pass_(days=100)
        engine.consolidation.run()
        assert engine.get(fact.memory.id).status == "deprecated"
        assert [hit.memory.content for hit in engine.recall("Where does Ann live?")] == ["I live in Berlin"]
