"""A run taken back: every memory as it was, field for field; what has changed since is left alone and named."""

from __future__ import annotations

from collections import Counter

import nights
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_running import fill

from combray.errors import InvalidInputError, NotFoundError
from combray.testing.fakes import FakeClock

TEXTS = (
    nights.TEA,
    nights.TEA_AGAIN,
    nights.TWO_CATS,
    nights.THREE_CATS,
    nights.OFFICE,
    nights.NO_OFFICE,
    "User likes green tea",
    "User drinks green tea with honey",
)


def test_a_run_is_taken_back_field_for_field() -> None:
    clock = FakeClock()
    with nights.opened(clock=clock) as engine:
        fill(engine, clock)
        before = nights.exported(engine)
        done = engine.consolidation.run()
        assert nights.exported(engine) != before
        undone = engine.consolidation.undo(done.run_id)
        assert undone.refused == ()
        assert len(undone.restored) == 60
        assert nights.exported(engine) == before
        assert engine.reader.doubts() == [each for each in engine.reader.doubts() if each.answer == "KEEP_BOTH"]
        assert engine.consolidation.runs()[0].state == "undone"
        assert engine.runtime.store.check() == []
        with pytest.raises(InvalidInputError, match="undone already"):
            engine.consolidation.undo(done.run_id)


@settings(max_examples=8)
@given(
    st.lists(
        st.tuples(st.sampled_from(TEXTS), st.sampled_from([0.3, 0.5, 0.7, 0.9]), st.integers(0, 40)),
        min_size=1,
        max_size=6,
    ),
    st.integers(0, 5),
)
def test_undo_restores_whatever_was_there(known: list[tuple[str, float, int]], most: int) -> None:
    clock = FakeClock()
    with nights.opened(clock=clock) as engine:
        for text, sure, days in known:
            nights.know(engine, text, confidence=sure)
            clock.pass_(days=days)
            nights.hear(engine, f"I think so. {text.replace('User likes', 'I like')}", session=str(days))
        before = nights.exported(engine)
        runs = [engine.consolidation.run(most=most).run_id]
        clock.pass_(days=7)
        middle = nights.exported(engine)
        runs.append(engine.consolidation.run().run_id)
        assert engine.consolidation.undo(runs[1]).refused == ()
        assert nights.exported(engine) == middle
        assert engine.consolidation.undo(runs[0]).refused == ()
        assert nights.exported(engine) == before


def test_what_a_run_changed_is_listed_change_by_change() -> None:
    clock = FakeClock()
    with nights.opened(clock=clock) as engine:
        fill(engine, clock)
        done = engine.consolidation.run()
        lines = engine.consolidation.changes(done.run_id[:13])
        counted = Counter(each.operation for each in lines)
        assert counted["merge"] == done.counts["merge"] == 12
        assert counted["supersede"] == done.counts["supersede"]
        merged = next(each for each in lines if each.operation == "merge" and "status" in each.detail)
        assert engine.get(merged.memory_id).status == "merged"
        engine.erase(merged.memory_id)
        assert merged.memory_id not in {each.memory_id for each in engine.consolidation.changes(done.run_id)}
        with pytest.raises(NotFoundError, match="no run"):
            engine.consolidation.changes("0000")


def test_a_decision_that_was_taken_back_is_not_taken_again() -> None:
    clock = FakeClock()
    with nights.opened(clock=clock) as engine:
        fill(engine, clock)
        done = engine.consolidation.run()
        assert done.counts["merge"] == done.counts["supersede"] == 12
        engine.consolidation.undo(done.run_id)
        assert not {"merge", "supersede", "halve"} & engine.consolidation.run().counts.keys()


def test_what_has_changed_since_is_refused_with_all_that_belongs_to_it() -> None:
    clock = FakeClock()
    with nights.opened(clock=clock) as engine:
        loser = nights.know(engine, nights.TEA)
        winner = nights.know(engine, nights.TEA_AGAIN, confidence=0.9)
        old = nights.know(engine, nights.TWO_CATS)
        clock.pass_(days=5)
        nights.know(engine, nights.THREE_CATS)
        clock.pass_(days=5)
        before = nights.exported(engine)
        done = engine.consolidation.run()
        engine.forget(winner)
        undone = engine.consolidation.undo(done.run_id)
        assert {each.memory_id for each in undone.refused} == {loser, winner}
        reasons = {each.memory_id: each.reason for each in undone.refused}
        assert reasons[winner].startswith("was changed since: forget by user")
        assert reasons[loser].startswith("belongs to one that was changed since: forget by user")
        assert engine.get(loser).status == "merged"
        assert nights.exported(engine)[old] == before[old]
        assert engine.consolidation.runs()[0].state == "done", "what was refused can be tried again"


def test_the_latest_run_is_undone_first() -> None:
    clock = FakeClock()
    with nights.opened(clock=clock) as engine:
        fact = nights.know(engine, nights.OFFICE)
        first: list[str] = []
        second: list[str] = []
        for runs in (first, second):
            clock.pass_(days=10)
            runs.append(engine.consolidation.run().run_id)
        refused = engine.consolidation.undo(first[0]).refused
        assert [each.memory_id for each in refused] == [fact]
        assert f"by consolidate:{second[0]}" in refused[0].reason
        assert engine.consolidation.undo(second[0]).restored == (fact,)
        assert engine.consolidation.undo(first[0]).restored == (fact,)
        assert engine.get(fact).confidence == 0.7


def test_confidence_halved_by_a_contradiction_comes_back() -> None:
    with nights.opened() as engine:
        for text in (nights.TWO_CATS, nights.THREE_CATS):
            nights.know(engine, text)
        before = nights.exported(engine)
        done = engine.consolidation.run()
        assert done.counts == {"halve": 2}
        engine.consolidation.undo(done.run_id)
        assert nights.exported(engine) == before
        assert engine.reader.doubts() == []


def test_an_erased_memory_does_not_stop_an_undo() -> None:
    clock = FakeClock()
    with nights.opened(clock=clock) as engine:
        loser = nights.know(engine, nights.TEA)
        winner = nights.know(engine, nights.TEA_AGAIN, confidence=0.9)
        done = engine.consolidation.run()
        engine.erase(winner)
        undone = engine.consolidation.undo(done.run_id)
        assert (undone.restored, engine.get(loser).status) == ((loser,), "active")


def test_runs_are_named_by_their_beginning_and_unknown_ones_are_told() -> None:
    with nights.opened() as engine:
        nights.know(engine, nights.OFFICE)
        done = engine.consolidation.run()
        with pytest.raises(NotFoundError, match="no run"):
            engine.consolidation.undo("nothing")
        with pytest.raises(NotFoundError, match="no run"):
            engine.consolidation.undo("")
        assert engine.consolidation.undo(done.run_id[:20]).run_id == done.run_id


def test_only_what_is_merged_can_be_unmerged() -> None:
    with nights.opened() as engine:
        fact = nights.know(engine, nights.OFFICE)
        with pytest.raises(InvalidInputError, match="not merged"):
            engine.consolidation.undo_merge(fact)
