"""Transactions: all or nothing, readers during a write, closing."""
# ruff: noqa: S101

from __future__ import annotations

import threading

import numpy as np
import pytest

from combray.errors import StoreError
from combray.runtime import Arrival, Filter, KeywordArm, Link, Reader, RecencyArm, Store, VectorArm
from combray.testing.fakes import memory, vector
from combray.testing.store_cases import MODEL, T0, StoreCases, X, Y, add, order, rolled_back, scores, search

TEA = KeywordArm((("tea", 1.0),))
AXIS = VectorArm(X, MODEL)


class Transactions(StoreCases):
    """A failed or unfinished write leaves nothing."""

    def test_an_error_rolls_everything_back(self, store: Store, reader: Reader) -> None:
        a, b = add(store, (memory("tea a", 1, entities=("Ann",)), X), memory("tea b", 2))

        def everything() -> tuple[object, ...]:
            found = reader.search({"words": TEA, "vectors": AXIS, "recency": RecencyArm()}, Filter(), 10)
            lists = [(scores(found, name)) for name in found.lists]
            rest = (reader.edges(), reader.history(a), reader.status(), reader.log(9), reader.revision())
            return (lists, reader.memories(range(99)), reader.entity_counts(), *rest)

        before = everything()
        with rolled_back(store) as tx:
            (c,) = tx.insert([Arrival(memory("tea c", 3, entities=("Ann",)), {MODEL: X})])
            tx.change(a, "x", "y", T0, status="forgotten", context="tea")
            tx.link([Link(a, c, "causal", 1.0)], T0)
            tx.put_vectors(MODEL, [b], X[None, :])
            tx.put_vectors("other:2", [b], vector(1, 0)[None, :])
            tx.note("x", "y", "z", T0)
            tx.erase([b], T0)
            tx.nearest(MODEL, X[None, :], Filter(), 5, 0.0)
        assert everything() == before
        assert store.check() == []

    def test_a_view_sees_one_state(self, store: Store) -> None:
        """A recall reads many times: what another thread writes in between must not mix with what it has read."""
        (a,) = add(store, (memory("tea"), X))
        with store.view("default") as view:
            assert view.contents([a]) == ["tea"]
            if store.location == ":memory:":
                pytest.skip("a store in memory has one connection for readers and writers")
            (b,) = add(store, (memory("tea too"), X))
            found = view.search({"words": TEA, "vectors": AXIS}, Filter(), 10)
            assert (found.keys.tolist(), found.eligible, view.contents([b])) == ([a], 1, [""])
        assert store.reader("default").search({"words": TEA}, Filter(), 10).keys.tolist() == [a, b]

    def test_a_rolled_back_write_can_be_written_again(self, store: Store) -> None:
        """Its key may be used again for another memory: no cache may mix the two."""
        with rolled_back(store) as tx:
            tx.insert([Arrival(memory("plum"), {MODEL: Y})])
            tx.nearest(MODEL, Y[None, :], Filter(), 5, 0.0)
        assert store.namespaces() == []
        (key,) = add(store, (memory("tea"), X))
        assert list(scores(search(store, TEA))) == [key]
        assert scores(search(store, AXIS)) == {key: 1.0}
        assert scores(search(store, KeywordArm((("plum", 1.0),)))) == {}

    def test_words_searched_for_inside_a_rolled_back_write_do_not_stay(self, store: Store) -> None:
        (a,) = add(store, memory("apple"))
        with rolled_back(store) as tx:
            tx.insert([Arrival(memory("tea")), Arrival(memory("plum"))])
            tx.search({"words": TEA}, Filter(), 5)
        assert scores(search(store, TEA)) == {}
        b, c = add(store, memory("plum"), memory("tea"))
        assert list(scores(search(store, TEA))) == [c]
        assert a < b < c

    def test_a_model_of_a_rolled_back_write_may_return_with_another_length(self, store: Store) -> None:
        (key,) = add(store, memory("tea"))
        with rolled_back(store) as tx:
            tx.put_vectors(MODEL, [key], vector(1, 0)[None, :])
            tx.nearest(MODEL, vector(1, 0)[None, :], Filter(), 5, 0.0)
        with store.transaction("default") as tx:
            tx.put_vectors(MODEL, [key], X[None, :])
        assert scores(search(store, AXIS)) == {key: 1.0}

    def test_a_reader_during_an_open_write_sees_committed_rows(self, store: Store, reader: Reader) -> None:
        a, b = add(store, (memory("tea a", 1), X), (memory("tea b", 2), Y))
        seen: list[tuple[list[int], list[int], int, float]] = []

        def look() -> None:
            vectors = scores(search(store, AXIS))
            found = (order(reader.scan(Filter())), list(scores(search(store, TEA))))
            seen.append((*found, len(vectors), vectors.get(b, 0.0)))

        look()
        with store.transaction("default") as tx:
            tx.insert([Arrival(memory("tea c", 3), {MODEL: X})])
            tx.change(a, "x", "y", T0, status="forgotten")
            tx.put_vectors(MODEL, [b], X[None, :])
            tx.nearest(MODEL, X[None, :], Filter(), 5, 0.0)
            beside = threading.Thread(target=look)
            beside.start()
            beside.join()
        look()
        assert seen[0] == seen[1] == ([a, b], [a, b], 1, 0.0)
        assert seen[2] == ([b, b + 1], [b, b + 1], 2, 1.0)

    def test_nearest_in_a_transaction_is_of_what_was_committed(self, store: Store) -> None:
        a, b = add(store, (memory("a"), X), memory("b"))
        with store.transaction("default") as tx:
            tx.insert([Arrival(memory("c"), {MODEL: X})])
            tx.put_vectors(MODEL, [a, b], np.stack([Y, X]))
            (found,) = tx.nearest(MODEL, X[None, :], Filter(), 5, 0.5)
            assert order(found.keys) == [a]

    def test_a_kept_value_is_the_namespaces_own_and_the_transactions(self, store: Store) -> None:
        with store.transaction("default") as tx:
            assert tx.kept("count") == ""
            tx.keep("count", "1")
            tx.keep("count", "2")
            assert tx.kept("count") == "2"
        with store.transaction("other") as tx:
            assert tx.kept("count") == ""
        with rolled_back(store) as tx:
            tx.keep("count", "3")
        with store.transaction("default") as tx:
            assert (tx.kept("count"), tx.kept("other")) == ("2", "")
        assert [store.reader(name).kept("count") for name in ("default", "other", "unknown")] == ["2", "", ""]

    def test_two_threads_write_one_after_the_other(self, store: Store, reader: Reader) -> None:
        def write(name: str) -> None:
            for place in range(20):
                add(store, memory(f"tea {name}", place))

        threads = [threading.Thread(target=write, args=(name,)) for name in ("a", "b", "c")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(reader.scan(Filter())) == 60
        assert reader.revision() == 60

    def test_one_transaction_at_a_time(self, store: Store, reader: Reader) -> None:
        with store.transaction("default") as tx:
            (a,) = tx.insert([Arrival(memory("a"))])
            with pytest.raises(StoreError), store.transaction("other"):
                pass
        assert [each.content for each in reader.memories([a])] == ["a"]

    def test_a_closed_store_raises(self, store: Store, reader: Reader) -> None:
        add(store, memory("a"))
        store.close()
        store.close()
        with pytest.raises(StoreError, match="closed"):
            reader.scan(Filter())
        with pytest.raises(StoreError, match="closed"):
            store.namespaces()
        with pytest.raises(StoreError, match="closed"), store.transaction("default"):
            pass
