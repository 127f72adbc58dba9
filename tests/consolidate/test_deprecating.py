"""The bands of confidence, and the ways back from deprecation."""

from __future__ import annotations

import nights

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
