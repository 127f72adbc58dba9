"""Consolidation moves facts between tiers by use, importance and age (upstream notes 3.2, "Tiers")."""

from __future__ import annotations

from nights import exported, know, opened

from combray.testing.fakes import FakeClock


def test_a_fact_that_nobody_asks_for_becomes_peripheral_and_undo_takes_it_back() -> None:
    """ "working->peripheral: … age > 60 d and access < 3"."""
    clock = FakeClock()
    with opened(clock=clock) as engine:
        fact = know(engine, "The boiler was serviced by Amira", confidence=1.0)
        clock.pass_(days=61)
        before = exported(engine)
        run = engine.consolidation.run()
        assert (engine.get(fact).tier, run.counts["move_tier"]) == ("peripheral", 1)
        assert [line.detail for line in run.plan if line.operation == "move_tier"] == [
            "working → peripheral, used 0 times"
        ]
        engine.consolidation.undo(run.run_id)
        assert exported(engine) == before


def test_a_fact_in_use_that_matters_becomes_core() -> None:
    """ "working->core: access >= 10, composite >= .7, importance >= .8"; four stars of five are .8."""
    with opened() as engine:
        fact = know(engine, "The boiler was serviced by Amira", importance=4, confidence=1.0)
        for _ in range(4):
            engine.retention.keep(fact)
        assert engine.get(fact).access_count == 12
        engine.consolidation.run()
        assert engine.get(fact).tier == "core"


def test_a_second_run_at_the_same_moment_moves_nothing() -> None:
    """From core to peripheral in one run: "core->working: composite < .15 and access < 3", then the above."""
    clock = FakeClock()
    with opened(clock=clock) as engine:
        fact = know(engine, "The boiler was serviced by Amira", importance=1, confidence=0.31)
        key = engine._at.key_of(fact)
        with engine.runtime.store.transaction("default") as tx:
            tx.change(key, "test", "test", clock(), tier="core")
        clock.pass_(days=3)
        engine.consolidation.run()
        assert engine.get(fact).tier == "core"
        clock.pass_(days=900)
        plan = engine.consolidation.run(dry_run=True)
        # Nothing else keeps it: at that age its confidence is gone too, and deprecated facts stay where they are.
        assert [line.operation for line in plan.plan] == ["fade", "deprecate"]


def test_nothing_moves_twice() -> None:
    clock = FakeClock()
    with opened(clock=clock) as engine:
        for number in range(5):
            know(engine, f"Machine {number} stands in hall {number}", confidence=1.0)
        clock.pass_(days=61)
        assert engine.consolidation.run().counts["move_tier"] == 5
        assert "move_tier" not in engine.consolidation.run().counts
