"""Runs of consolidation, pairs in doubt, leases: stored per namespace, rolled back with their transaction."""
# ruff: noqa: S101

from __future__ import annotations

from dataclasses import replace

import pytest

from combray.errors import NotFoundError
from combray.runtime import Doubt, Lease, Reader, Run, Store
from combray.testing.fakes import memory
from combray.testing.store_cases import T0, StoreCases, add, rolled_back

RUN = Run("run-a", T0, counts={"merge": 2})


class Runs(StoreCases):
    """Data of consolidation next to the memories."""

    def test_runs_come_back_as_they_were_newest_first(self, store: Store, reader: Reader) -> None:
        later = replace(RUN, id="run-b", started=T0 + 0.000001)
        with store.transaction("default") as tx:
            tx.put_run(RUN)
            tx.put_run(later)
        assert reader.runs(9) == [later, RUN]
        assert reader.runs(1) == [later]
        assert store.reader("other").runs(9) == []

    def test_a_run_is_replaced_by_its_id(self, store: Store, reader: Reader) -> None:
        ended = Run("run-a", T0, T0 + 5.5, "done", {})
        with store.transaction("default") as tx:
            tx.put_run(RUN)
            tx.put_run(ended)
            assert tx.runs(9) == [ended]
        assert reader.runs(9) == [ended]

    def test_the_parts_of_a_plan_are_taken_once_and_in_order(self, store: Store) -> None:
        with store.transaction("default") as tx:
            tx.put_run(RUN, [f"part {number}" for number in range(11)])
            assert tx.take_part("run-a") == "part 0"
        with rolled_back(store) as tx:
            assert tx.take_part("run-a") == "part 1"
        with store.transaction("default") as tx:
            tx.put_run(RUN, ["part 11"])
            rest = [f"part {number}" for number in range(1, 12)]
            assert [tx.take_part("run-a") for _ in range(12)] == [*rest, None]
            assert tx.take_part("run-b") is None
        with store.transaction("other") as tx:
            tx.put_run(RUN, ["elsewhere"])
        with store.transaction("default") as tx:
            assert tx.take_part("run-a") is None

    def test_who_changed_which_memories(self, store: Store, reader: Reader) -> None:
        a, b, c = add(store, memory("a"), memory("b"), memory("c"))
        (elsewhere,) = add(store, memory("d"), namespace="other")
        with store.transaction("default") as tx:
            for key, actor in ((c, "night"), (a, "night"), (a, "night"), (b, "user")):
                tx.change(key, "x", actor, T0, importance=4)
        with store.transaction("other") as tx:
            tx.change(elsewhere, "x", "night", T0, importance=4)
        assert reader.changed_by("night") == [a, c]
        assert reader.changed_by("nobody") == []
        assert store.reader("other").changed_by("night") == [elsewhere]

    def test_pairs_in_doubt_are_kept_answered_and_dropped_by_run(self, store: Store, reader: Reader) -> None:
        a, b, c = add(store, memory("a"), memory("b"), memory("c"))
        first, second = Doubt(a, b, "like", run="one"), Doubt(b, c, "unlike", halved=True, run="two")
        with store.transaction("default") as tx:
            tx.put_doubts([second, first])
            tx.put_doubts([replace(first, answer="MERGE", run="two")])
        assert reader.doubts() == [replace(first, answer="MERGE", run="two"), second]
        assert store.reader("other").doubts() == []
        with store.transaction("default") as tx:
            assert tx.drop_doubts("one") == 0
            assert tx.drop_doubts("two") == 2
        assert reader.doubts() == []

    def test_a_pair_in_doubt_goes_with_an_erased_memory(self, store: Store, reader: Reader) -> None:
        a, b, c = add(store, memory("a"), memory("b"), memory("c"))
        with store.transaction("default") as tx:
            tx.put_doubts([Doubt(a, b, ""), Doubt(b, c, ""), Doubt(a, c, "")])
            tx.erase([b], T0)
        assert reader.doubts() == [Doubt(a, c, "")]

    def test_a_pair_needs_memories_of_the_namespace(self, store: Store) -> None:
        (a,) = add(store, memory("a"))
        (b,) = add(store, memory("b"), namespace="other")
        with pytest.raises(NotFoundError), store.transaction("default") as tx:
            tx.put_doubts([Doubt(a, b, "")])

    def test_a_lease_is_held_by_one_and_given_back(self, store: Store) -> None:
        with store.transaction("default") as tx:
            assert tx.lease("night") is None
            tx.put_lease("night", Lease("me", T0 + 1.25))
            tx.put_lease("night", Lease("you", T0 + 2.5))
        with store.transaction("default") as tx:
            assert tx.lease("night") == Lease("you", T0 + 2.5)
            assert tx.lease("day") is None
            tx.put_lease("night", None)
        with store.transaction("default") as tx:
            assert tx.lease("night") is None
        with store.transaction("other") as tx:
            assert tx.lease("night") is None

    def test_a_failed_write_rolls_back_runs_doubts_and_leases(self, store: Store, reader: Reader) -> None:
        a, b = add(store, memory("a"), memory("b"))
        with rolled_back(store) as tx:
            tx.put_run(RUN)
            tx.put_doubts([Doubt(a, b, "")])
            tx.put_lease("night", Lease("me", T0))
        assert reader.runs(9) == []
        assert reader.doubts() == []
        with store.transaction("default") as tx:
            assert tx.lease("night") is None
