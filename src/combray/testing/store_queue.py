"""Embedding: jobs are taken once and survive failures; token vectors are dropped with their text."""
# ruff: noqa: S101

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from combray.errors import InvalidInputError
from combray.runtime import Arrival, Filter, Reader, RecencyArm, Store, VectorArm
from combray.runtime.queue import EXTRACTION, OMITTED, Backlog, Job, Queue
from combray.testing.fakes import memory
from combray.testing.store_cases import MODEL, T0, StoreCases, X, Y, Z, add, keys, rolled_back, search
from combray.types import Memory

NEW = "new:4"
LATE = "late:2"
ONE = np.array([[1, -2], [127, 0], [5, 5]], dtype=np.int8)
TWO = np.array([[-127, 3]], dtype=np.int8)
NOTHING = np.zeros((0, 2), dtype=np.int8)


def as_lists(found: list[NDArray[np.int8] | None]) -> list[list[list[int]] | None]:
    """Return token vectors as lists, to be compared."""
    return [None if each is None else each.tolist() for each in found]


def _mixed(store: Store) -> None:
    """Three live memories: one with a vector, one whose vector is zeros, one with none; and a merged one."""
    add(
        store,
        (memory("a"), X),
        (memory("b"), np.zeros(4, dtype=np.float32)),
        memory("c", kind="episode"),
        memory("d", status="merged"),
    )


class Queues(StoreCases):
    """Jobs of memories that wait for a vector."""

    @pytest.fixture
    def queue(self, reader: Reader) -> Queue:
        """The jobs of the namespace "default"."""
        return reader.queue

    def test_a_memory_is_queued_once_a_model(self, store: Store, queue: Queue) -> None:
        a, b = add(store, memory("a"), memory("b"))
        with store.transaction("default") as tx:
            assert tx.queue.put(MODEL, [b, a], T0) == 2
            assert tx.queue.put(MODEL, [a], T0 + 5) == 0
            assert tx.queue.put(NEW, [a], T0 + 5) == 1
            assert tx.queue.put(NEW, [], T0) == 0
        assert queue.jobs(MODEL) == [Job(a, MODEL, T0, next_at=T0), Job(b, MODEL, T0, next_at=T0)]
        assert queue.backlogs() == [Backlog(NEW, 1, 0, T0 + 5), Backlog(MODEL, 2, 0, T0)]

    def test_namespaces_do_not_see_each_others_jobs(self, store: Store, reader: Reader, queue: Queue) -> None:
        (a,) = add(store, memory("a", status="pending_embed"))
        (b,) = add(store, memory("b", status="pending_embed"), namespace="other")
        with store.transaction("default") as tx:
            tx.queue.put(MODEL, [a], T0)
        other = store.reader("other").queue
        assert (other.jobs(MODEL), other.backlogs(), other.due(MODEL, T0 + 9)) == ([], [], False)
        assert (other.orphans(MODEL), other.lacking(MODEL)) == ([b], [b])
        with store.transaction("other") as tx:
            assert tx.queue.take(MODEL, "me", T0, T0 + 60, 9) == []
            tx.queue.update([Job(a, MODEL, T0, failed=True)])
            tx.queue.finish(MODEL, [a])
            assert (tx.queue.release("", T0), tx.queue.drop(MODEL), tx.drop_vectors(MODEL)) == (0, 0, 0)
        assert queue.jobs(MODEL) == [Job(a, MODEL, T0, next_at=T0)]
        assert reader.memories([a])[0].status == "pending_embed"

    def test_a_job_is_taken_by_one_until_its_lease_runs_out(self, store: Store) -> None:
        a, b, c = add(store, memory("a"), memory("b"), memory("c"))
        with store.transaction("default") as tx:
            tx.queue.put(MODEL, [b, c], T0)
            tx.queue.put(MODEL, [a], T0 + 1)
            assert tx.queue.take(MODEL, "me", T0 - 1, T0 + 60, 9) == []
            taken = tx.queue.take(MODEL, "me", T0 + 1, T0 + 60, 2)
        # The longest due first; ties by key.
        assert taken == [Job(each, MODEL, T0, 1, T0 + 60, "me") for each in (b, c)]
        with store.transaction("default") as tx:
            assert [each.key for each in tx.queue.take(MODEL, "you", T0 + 59, T0 + 90, 9)] == [a]
            again = tx.queue.take(MODEL, "you", T0 + 60, T0 + 120, 9)
        assert again == [Job(each, MODEL, T0, 2, T0 + 120, "you") for each in (b, c)]

    def test_due_returns_whether_there_is_a_job_to_take(self, store: Store, queue: Queue) -> None:
        (a,) = add(store, memory("a"))
        with store.transaction("default") as tx:
            tx.queue.put(MODEL, [a], T0)
        assert [queue.due(MODEL, T0 - 1), queue.due(MODEL, T0), queue.due(NEW, T0)] == [False, True, False]
        with store.transaction("default") as tx:
            tx.queue.update([Job(a, MODEL, T0, 3, T0, failed=True)])
        assert not queue.due(MODEL, T0 + 9)
        with store.transaction("default") as tx:
            assert tx.queue.take(MODEL, "me", T0 + 9, T0 + 60, 9) == []

    def test_failures_are_counted_with_the_last_error(self, store: Store, queue: Queue) -> None:
        a, b, c = add(store, memory("a"), memory("b"), memory("c"))
        with store.transaction("default") as tx:
            tx.queue.put(MODEL, [a, b, c], T0)
            tx.queue.update(
                [Job(a, MODEL, 0.0, 1, T0 + 2, error="early"), Job(b, MODEL, 0.0, 9, T0 + 3, "", True)]
            )
            tx.queue.update([Job(c, MODEL, 0.0, 2, T0 + 4, error="late"), Job(c + 1, MODEL, T0)])
        assert queue.jobs(MODEL)[2] == Job(c, MODEL, T0, 2, T0 + 4, error="late")
        assert [each.key for each in queue.given_up(MODEL, 9)] == [b]
        assert queue.given_up(NEW, 9) == []
        assert queue.backlogs() == [Backlog(MODEL, 2, 1, T0, "late")]
        with store.transaction("default") as tx:
            assert (tx.queue.retry(NEW, T0 + 9), tx.queue.retry(MODEL, T0 + 9)) == (0, 1)
        assert queue.jobs(MODEL)[1] == Job(b, MODEL, T0, 0, T0 + 9)
        assert queue.jobs(MODEL)[2] == Job(c, MODEL, T0, 2, T0 + 4, error="late")

    def test_jobs_of_a_holder_can_be_released(self, store: Store, queue: Queue) -> None:
        a, b = add(store, memory("a"), memory("b"))
        with store.transaction("default") as tx:
            tx.queue.put(MODEL, [a, b], T0)
            tx.queue.take(MODEL, "me", T0, T0 + 60, 1)
            tx.queue.take(MODEL, "you", T0, T0 + 60, 1)
            assert tx.queue.release("me", T0 + 5) == 1
        mine, yours = queue.jobs(MODEL)
        assert (mine, yours.holder) == (Job(a, MODEL, T0, 1, T0 + 5), "you")
        assert (queue.holders(MODEL), queue.holders(NEW)) == (["you"], [])
        assert (queue.held(MODEL, "you"), queue.held(MODEL, "me")) == ([yours], [])

    def test_a_finished_memory_is_active_without_a_job_or_a_version(
        self, store: Store, reader: Reader, queue: Queue
    ) -> None:
        a, b, c = add(
            store,
            memory("a", status="pending_embed"),
            memory("b", status="forgotten"),
            memory("c", status="pending_embed"),
        )
        with store.transaction("default") as tx:
            tx.queue.put(MODEL, [a, b, c], T0)
            tx.queue.put(NEW, [a], T0)
        assert reader.scan(Filter(statuses=("active",))).tolist() == []
        with store.transaction("default") as tx:
            tx.queue.finish(MODEL, [a, b])
        assert [each.status for each in reader.memories([a, b, c])] == ["active", "forgotten", "pending_embed"]
        assert [each.key for each in queue.jobs(MODEL) + queue.jobs(NEW)] == [c, a]
        assert reader.scan(Filter(statuses=("active",))).tolist() == [a]
        assert reader.history(a) == []

    def test_a_turn_that_is_done_keeps_its_mark(self, store: Store, reader: Reader, queue: Queue) -> None:
        a, b, c, _, _ = add(
            store,
            memory("a", kind="episode", status="pending_embed"),
            memory("b", kind="episode"),
            memory("c", kind="episode"),
            memory("d", kind="episode", status="forgotten"),
            memory("e"),
        )
        assert (queue.unmarked(EXTRACTION, 9), queue.unmarked(EXTRACTION, 2)) == ([a, b, c], [a, b])
        with store.transaction("default") as tx:
            tx.queue.put(EXTRACTION, [a, b], T0)
            taken = tx.queue.take(EXTRACTION, "me", T0, T0 + 60, 1)
            tx.queue.update([replace(each, holder="", next_at=T0, done=T0 + 5) for each in taken])
        assert queue.jobs(EXTRACTION)[0] == Job(a, EXTRACTION, T0, 1, T0, done=T0 + 5)
        assert queue.backlogs() == [Backlog(EXTRACTION, 1, 0, T0)]
        with store.transaction("default") as tx:
            assert [each.key for each in tx.queue.take(EXTRACTION, "me", T0 + 9, T0 + 60, 9)] == [b]
            assert tx.queue.put(EXTRACTION, [a, b, c], T0) == 1
        assert queue.unmarked(EXTRACTION, 9) == []
        jobs = queue.jobs(EXTRACTION)
        with store.transaction("default") as tx:
            tx.queue.update([replace(each, done=T0 + 9) for each in jobs])
        assert (queue.backlogs(), queue.due(EXTRACTION, T0 + 99)) == ([], False)
        assert [each.status for each in reader.memories([a])] == ["pending_embed"]

    def test_orphans_are_pending_without_a_job(self, store: Store, queue: Queue) -> None:
        a, b, _ = add(
            store, memory("a", status="pending_embed"), memory("b", status="pending_embed"), memory("c")
        )
        with store.transaction("default") as tx:
            tx.queue.put(MODEL, [b], T0)
        assert (queue.orphans(MODEL), queue.orphans(NEW)) == ([a], [a, b])

    def test_lacking_are_live_without_a_vector(self, store: Store, queue: Queue) -> None:
        a, b, c, d = add(
            store,
            memory("a"),
            (memory("b"), X),
            memory("c", status="pending_embed", trust="quarantined"),
            memory("d", status="merged"),
        )
        assert (queue.lacking(MODEL), queue.lacking(NEW)) == ([a, c], [a, b, c])
        with store.transaction("default") as tx:
            # A text without content has a vector of zeros and does not lack one.
            tx.put_vectors(MODEL, [a], np.zeros((1, 4), dtype=np.float32))
            assert tx.queue.lacking(MODEL) == [c]
        assert d not in queue.lacking(NEW)

    def test_what_an_earlier_model_has_left_behind(self, store: Store, queue: Queue) -> None:
        a, _ = add(store, (memory("a"), X), memory("b"))
        add(store, (memory("c"), X), namespace="other")
        # Only b lacks a vector of MODEL, and b has no vector at all.
        assert (queue.left_behind(MODEL), queue.left_behind(NEW)) == (False, True)
        assert not store.reader("empty").queue.left_behind(NEW)
        with store.transaction("default") as tx:
            tx.put_vectors(NEW, [a], np.eye(1, 4, dtype=np.float32))
        assert not queue.left_behind(NEW)

    def test_a_search_counts_eligible_memories_without_a_vector(self, store: Store) -> None:
        _mixed(store)
        add(store, memory("e"), namespace="other")
        mine, new = VectorArm(X, MODEL), VectorArm(X, NEW)
        assert (search(store, mine).vectorless, search(store, mine).eligible) == (2, 3)
        assert search(store, mine, Filter(kinds=("fact",))).vectorless == 1
        assert (search(store, new).vectorless, search(store, RecencyArm()).vectorless) == (3, 0)

    def test_covered_counts_memories_with_a_vector_of_a_model(self, store: Store, reader: Reader) -> None:
        _mixed(store)
        add(store, (memory("e"), X), namespace="other")
        assert reader.covered(MODEL, Filter()) == (2, 3)
        assert reader.covered(MODEL, Filter(kinds=("fact",))) == (2, 2)
        assert reader.covered(NEW, Filter()) == (0, 3)
        assert store.reader("empty").covered(MODEL, Filter()) == (0, 0)

    def test_an_erasure_hides_the_errors_of_other_jobs(self, store: Store, queue: Queue) -> None:
        """A model's error may quote any text of its batch."""
        a, b, c = add(store, *(memory(name, status="pending_embed") for name in "abc"))
        (other,) = add(store, memory("d", status="pending_embed"), namespace="other")
        quoting = "cannot embed 'a'"
        for namespace, waiting in (("default", [a, b]), ("other", [other])):
            with store.transaction(namespace) as tx:
                tx.queue.put(MODEL, waiting, T0)
                tx.queue.put(NEW, [c] if namespace == "default" else [], T0)
                taken = tx.queue.take(MODEL, "me", T0, T0 + 60, 9)
                tx.queue.update([replace(each, holder="", error=quoting) for each in taken])
        with store.transaction("default") as tx:
            tx.erase([a], T0)
        assert [(each.key, each.error) for each in queue.jobs(MODEL)] == [(b, OMITTED)]
        assert [(each.key, each.error) for each in queue.jobs(NEW)] == [(c, "")]
        assert [each.error for each in store.reader("other").queue.jobs(MODEL)] == [quoting]

    def test_dropping_a_model_takes_its_vectors_and_jobs_only(self, store: Store, reader: Reader) -> None:
        a, b = add(store, (memory("a"), X), (memory("b"), Y))
        (c,) = add(store, (memory("c"), X), namespace="other")
        with store.transaction("default") as tx:
            tx.put_vectors(NEW, [a], Z[None, :])
            tx.queue.put(MODEL, [a], T0)
            tx.queue.put(NEW, [b], T0)
        place = X[None, :]
        assert reader.nearest(MODEL, place, Filter(), 9, 0.5)[0].keys.tolist() == [a]
        with rolled_back(store) as tx:
            tx.drop_vectors(MODEL)
            tx.nearest(MODEL, place, Filter(), 9, 0.5)
        assert reader.nearest(MODEL, place, Filter(), 9, 0.5)[0].keys.tolist() == [a]
        with store.transaction("default") as tx:
            assert tx.drop_vectors(MODEL) == 2
            assert tx.queue.drop(MODEL) == 1
        assert reader.nearest(MODEL, place, Filter(), 9, 0.5)[0].keys.tolist() == []
        assert reader.status()["vectors"] == {NEW: 1}
        assert [each.model for each in reader.queue.backlogs()] == [NEW]
        assert store.reader("other").vectors(MODEL, keys(c))[1].tolist() == [True]


class TokenVectors(StoreCases):
    """One vector a token."""

    def test_rows_come_back_as_they_were_stored(self, store: Store, reader: Reader) -> None:
        a, b, c = add(store, memory("a"), memory("b"), memory("c"))
        assert reader.tokens(LATE, keys(a)) == [None]
        with store.transaction("default") as tx:
            tx.put_tokens(LATE, [a, b], [ONE, NOTHING])
            assert as_lists(tx.tokens(LATE, keys(a))) == [ONE.tolist()]
        found = reader.tokens(LATE, keys(c, b, a))
        assert as_lists(found) == [None, [], ONE.tolist()]
        assert found[1] is not None
        assert found[1].shape == (0, 2)
        assert reader.status()["token_vectors"] == {LATE: {"memories": 2, "bytes": 6}}
        with store.transaction("default") as tx:
            tx.put_tokens(LATE, [a], [TWO])
        assert as_lists(reader.tokens(LATE, keys(a))) == [TWO.tolist()]

    def test_a_memory_arrives_with_them(self, store: Store, reader: Reader) -> None:
        with store.transaction("default") as tx:
            a, b = tx.insert([Arrival(memory("a"), {MODEL: X}, {LATE: ONE}), Arrival(memory("b"))])
        assert as_lists(reader.tokens(LATE, keys(a, b))) == [ONE.tolist(), None]
        assert reader.queue.lacking(LATE) == [b]
        assert reader.queue.lacking(MODEL) == [b]

    def test_another_text_drops_them_and_another_field_does_not(self, store: Store, reader: Reader) -> None:
        a, b = add(store, memory("a"), memory("b"))
        with store.transaction("default") as tx:
            tx.put_tokens(LATE, [a, b], [ONE, TWO])
            tx.change(a, "edit", "me", T0, content="another text")
            tx.change(b, "edit", "me", T0, importance=5)
        assert as_lists(reader.tokens(LATE, keys(a, b))) == [None, TWO.tolist()]
        assert reader.queue.lacking(LATE) == [a]

    def test_dropping_the_model_takes_them_and_leaves_others(self, store: Store, reader: Reader) -> None:
        (a,) = add(store, (memory("a"), X))
        with store.transaction("default") as tx:
            tx.put_tokens(LATE, [a], [ONE])
            tx.put_tokens("other:2", [a], [TWO])
        with store.transaction("default") as tx:
            assert tx.drop_vectors(LATE) == 1
        assert as_lists(reader.tokens(LATE, keys(a))) == [None]
        assert as_lists(reader.tokens("other:2", keys(a))) == [TWO.tolist()]
        assert reader.status()["vectors"] == {MODEL: 1}

    def test_rows_of_another_length_are_refused(self, store: Store) -> None:
        (a,) = add(store, memory("a"))
        with store.transaction("default") as tx:
            tx.put_tokens(LATE, [a], [ONE])
        with pytest.raises(InvalidInputError), store.transaction("default") as tx:
            tx.put_tokens(LATE, [a], [np.ones((2, 3), dtype=np.int8)])

    def test_finished_jobs_of_tokens_leave_a_memory_pending(self, store: Store, reader: Reader) -> None:
        waiting: Memory = memory("a", status="pending_embed")
        (a,) = add(store, waiting)
        with store.transaction("default") as tx:
            tx.queue.put(LATE, [a], T0)
            tx.put_tokens(LATE, [a], [ONE])
            tx.queue.finish(LATE, [a], activates=False)
        assert reader.memories([a])[0].status == "pending_embed"
        assert reader.queue.jobs(LATE) == []
