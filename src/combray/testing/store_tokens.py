"""Token vectors: stored beside the vectors, dropped with the text, erased with the memory."""
# ruff: noqa: S101

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from combray.errors import InvalidInputError, NotFoundError
from combray.runtime import Arrival, Reader, Store
from combray.testing.fakes import memory
from combray.testing.store_cases import MODEL, T0, StoreCases, X, add, keys, rolled_back
from combray.types import Memory

LATE = "late:2"
ONE = np.array([[1, -2], [127, 0], [5, 5]], dtype=np.int8)
TWO = np.array([[-127, 3]], dtype=np.int8)
NOTHING = np.zeros((0, 2), dtype=np.int8)


def _said(found: list[NDArray[np.int8] | None]) -> list[list[list[int]] | None]:
    return [None if each is None else each.tolist() for each in found]


class TokenVectors(StoreCases):
    """One vector a token."""

    def test_rows_come_back_as_they_were_stored(self, store: Store, reader: Reader) -> None:
        a, b, c = add(store, memory("a"), memory("b"), memory("c"))
        assert reader.tokens(LATE, keys(a)) == [None]
        with store.transaction("default") as tx:
            tx.put_tokens(LATE, [a, b], [ONE, NOTHING])
            assert _said(tx.tokens(LATE, keys(a))) == [ONE.tolist()]
        found = reader.tokens(LATE, keys(c, b, a))
        assert _said(found) == [None, [], ONE.tolist()]
        assert found[1] is not None
        assert found[1].shape == (0, 2)
        assert reader.status()["token_vectors"] == {LATE: {"memories": 2, "bytes": 6}}
        with store.transaction("default") as tx:
            tx.put_tokens(LATE, [a], [TWO])
        assert _said(reader.tokens(LATE, keys(a))) == [TWO.tolist()]

    def test_a_memory_arrives_with_them(self, store: Store, reader: Reader) -> None:
        with store.transaction("default") as tx:
            a, b = tx.insert([Arrival(memory("a"), {MODEL: X}, {LATE: ONE}), Arrival(memory("b"))])
        assert _said(reader.tokens(LATE, keys(a, b))) == [ONE.tolist(), None]
        assert reader.queue.lacking(LATE) == [b]
        assert reader.queue.lacking(MODEL) == [b]

    def test_another_text_drops_them_and_another_field_does_not(self, store: Store, reader: Reader) -> None:
        a, b = add(store, memory("a"), memory("b"))
        with store.transaction("default") as tx:
            tx.put_tokens(LATE, [a, b], [ONE, TWO])
            tx.change(a, "edit", "me", T0, content="another text")
            tx.change(b, "edit", "me", T0, importance=5)
        assert _said(reader.tokens(LATE, keys(a, b))) == [None, TWO.tolist()]
        assert reader.queue.lacking(LATE) == [a]

    def test_they_are_erased_with_their_memory(self, store: Store, reader: Reader) -> None:
        a, b = add(store, memory("a"), memory("b"))
        with store.transaction("default") as tx:
            tx.put_tokens(LATE, [a, b], [ONE, TWO])
        with store.transaction("default") as tx:
            tx.erase([a], T0)
        assert _said(reader.tokens(LATE, keys(a, b))) == [None, TWO.tolist()]
        assert reader.status()["token_vectors"] == {LATE: {"memories": 1, "bytes": 2}}

    def test_dropping_the_model_takes_them_and_leaves_others(self, store: Store, reader: Reader) -> None:
        (a,) = add(store, (memory("a"), X))
        with store.transaction("default") as tx:
            tx.put_tokens(LATE, [a], [ONE])
            tx.put_tokens("other:2", [a], [TWO])
        with store.transaction("default") as tx:
            assert tx.drop_vectors(LATE) == 1
        assert _said(reader.tokens(LATE, keys(a))) == [None]
        assert _said(reader.tokens("other:2", keys(a))) == [TWO.tolist()]
        assert reader.status()["vectors"] == {MODEL: 1}

    def test_a_failed_write_stores_none(self, store: Store, reader: Reader) -> None:
        (a,) = add(store, memory("a"))
        with rolled_back(store) as tx:
            tx.put_tokens(LATE, [a], [ONE])
        assert reader.tokens(LATE, keys(a)) == [None]

    def test_namespaces_do_not_see_each_others(self, store: Store, reader: Reader) -> None:
        (a,) = add(store, memory("a"))
        (b,) = add(store, memory("b"), namespace="other")
        with store.transaction("other") as tx:
            tx.put_tokens(LATE, [b], [ONE])
        assert reader.tokens(LATE, keys(a, b)) == [None, None]
        assert reader.status()["token_vectors"] == {}
        with pytest.raises(NotFoundError), store.transaction("default") as tx:
            tx.put_tokens(LATE, [b], [TWO])
        assert _said(store.reader("other").tokens(LATE, keys(b))) == [ONE.tolist()]

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
