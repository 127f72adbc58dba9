"""Writing: inserting, changing, linking, touching, erasing, and reading one's own writes."""
# ruff: noqa: S101

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from combray.errors import InvalidInputError, NotFoundError
from combray.runtime import (
    Arm,
    Arrival,
    EntityArm,
    Filter,
    KeywordArm,
    Link,
    Order,
    Reader,
    RecencyArm,
    Store,
    VectorArm,
)
from combray.testing.fakes import START, memory, vector
from combray.testing.store_cases import MODEL, T0, StoreCases, X, Y, add, keys, order, scores, search, turn
from combray.types import Version
from combray.where import one_of_texts


class Writes(StoreCases):
    """Each write changes what it should, and nothing else."""

    def test_keys_ascend_and_are_not_used_again(self, store: Store) -> None:
        a, b = add(store, memory("a"), memory("b"))
        with store.transaction("default") as tx:
            tx.erase([b], T0)
        (c,) = add(store, memory("c"))
        assert a < b < c

    def test_an_id_is_unique_in_its_namespace(self, store: Store, reader: Reader) -> None:
        add(store, memory("a", id="same"))
        with pytest.raises(InvalidInputError, match="same"):
            add(store, memory("before", 1), memory("b", id="same"))
        assert [each.content for each in reader.memories(range(10))] == ["a"]

    @pytest.mark.parametrize(
        "fields",
        [
            {"status": "lost"},
            {"tier": "top"},
            {"kind": "x"},
            {"trust": "x"},
            {"importance": 6},
            {"confidence": 1.5},
        ],
    )
    def test_impossible_values_are_refused(self, store: Store, reader: Reader, fields: dict[str, Any]) -> None:
        (key,) = add(store, memory("fine"))
        with pytest.raises(InvalidInputError, match=next(iter(fields))):
            add(store, memory("bad", 1, **fields))
        with pytest.raises(InvalidInputError, match=next(iter(fields))), store.transaction("default") as tx:
            tx.change(key, "x", "y", T0, **fields)
        assert order(reader.scan(Filter())) == [key]

    @pytest.mark.parametrize("fields", [{}, {"metadata": {"a": "\udfff"}}, {"entities": ("\ud800",)}])
    def test_lone_surrogates_are_refused(self, store: Store, reader: Reader, fields: dict[str, Any]) -> None:
        with pytest.raises(InvalidInputError, match="surrogate"):
            add(store, memory("fine", 1), memory("plain" if fields else "bad \ud800", **fields))
        assert reader.scan(Filter()).size == 0

    def test_change_keeps_what_was(self, store: Store, reader: Reader) -> None:
        (key,) = add(store, memory("a", tags=("x",), valid_to=None, metadata={"n": 1}))
        with store.transaction("default") as tx:
            tx.change(key, "tag", "ann", T0, tags=("y", "z"), metadata={"n": 2}, valid_to=START)
        with store.transaction("default") as tx:
            tx.change(key, "forget", "bob", T0 + 5, status="forgotten", confidence=0.1)
        (now,) = reader.memories([key])
        assert (now.tags, now.metadata, now.valid_to) == (("y", "z"), {"n": 2}, START)
        assert (now.status, now.confidence, now.content) == ("forgotten", 0.1, "a")
        first, second = reader.history(key)
        assert first.before == {"tags": ("x",), "metadata": {"n": 1}, "valid_to": None}
        assert (first.number, first.actor, first.operation, first.changed_at) == (1, "ann", "tag", START)
        assert second.before == {"status": "active", "confidence": 0.7}
        assert (second.number, second.memory_id) == (2, now.id)
        assert reader.history(10**6) == []

    def test_a_history_is_put_back_as_it_was(self, store: Store, reader: Reader) -> None:
        a, b = add(store, memory("a"), memory("b"))
        later = START + timedelta(days=9, microseconds=1)
        rows = [
            Version(
                memory_id=memory(text).id,
                number=number,
                changed_at=later,
                actor="ann",
                operation="edit",
                before={"tags": ("x",), "valid_to": START, "metadata": {"n": [1]}, "author": None},
            )
            for text, number in (("a", 2), ("a", 5))
        ]
        with store.transaction("default") as tx:
            tx.put_history(a, rows)
        assert (reader.history(a), reader.history(b)) == (rows, [])
        with store.transaction("default") as tx:
            tx.change(a, "tag", "bob", T0, tags=("y",))
        assert [each.number for each in reader.history(a)] == [2, 5, 6]

    def test_histories_that_cannot_be_are_refused(self, store: Store, reader: Reader) -> None:
        a, b = add(store, memory("a"), memory("b"))
        made = Version(
            memory_id="a", number=1, changed_at=START, actor="x", operation="x", before={"importance": 2}
        )
        with store.transaction("default") as tx:
            tx.put_history(a, [made])
        bad: list[tuple[int, list[Version]]] = [
            (a, [made]),
            (b, [made, made]),
            (b, [replace(made, number=0)]),
            (b, [replace(made, before={"id": "b"})]),
            (b, [replace(made, before={"importance": 9})]),
        ]
        for key, rows in bad:
            with pytest.raises(InvalidInputError), store.transaction("default") as tx:
                tx.put_history(key, rows)
        with pytest.raises(NotFoundError), store.transaction("default") as tx:
            tx.put_history(10**6, [made])
        assert reader.history(b) == []

    @pytest.mark.parametrize("name", ["id", "namespace", "never", "status = 'x' --"])
    def test_what_never_changes(self, store: Store, reader: Reader, name: str) -> None:
        (key,) = add(store, memory("a"))
        with pytest.raises(InvalidInputError), store.transaction("default") as tx:
            tx.change(key, "x", "y", T0, **{name: "b"})
        assert reader.history(key) == []

    def test_changes_reach_the_indexes(self, store: Store, reader: Reader) -> None:
        """Words, labels, day and moment follow the fields they come from; the old words are gone."""
        (key,) = add(store, memory("a", context="kettle", author="Ann", entities=("Rome",), tags=("home",)))
        changes = {
            "context": "teapot",
            "author": "Bob",
            "entities": ("Oslo",),
            "tags": ("work",),
            "occurred_from": START + timedelta(days=400),
        }

        def finds(term: str) -> bool:
            return bool(scores(search(store, KeywordArm(((term, 1.0),)))))

        # Searched before too: the second answer must not come from a cache.
        assert [finds(term) for term in ("kettl", "teapot")] == [True, False]
        with store.transaction("default") as tx:
            tx.change(key, "edit", "test", T0, **changes)
        assert [finds(term) for term in ("kettl", "ann", "rome", "home")] == [False] * 4
        assert [finds(term) for term in ("teapot", "bob", "oslo", "work", "2025")] == [True] * 5
        assert list(scores(search(store, EntityArm(("oslo",))))) == [key]
        assert scores(search(store, EntityArm(("rome",)))) == {}
        assert order(reader.scan(Filter(tags=("work",), authors=("Bob",), since=T0 + 86400))) == [key]
        assert order(reader.scan(Filter(tags=("home",)))) == []
        assert store.check() == []

    @pytest.mark.parametrize("name", ["content", "context"])
    def test_another_text_drops_the_vectors_of_the_old_one(self, store: Store, name: str) -> None:
        a, b = add(store, (memory("kettle"), X), (memory("pot"), X))
        arm, reader = VectorArm(X, MODEL), store.reader("default")
        assert scores(search(store, arm)) == {a: 1.0, b: 1.0}
        with suppress(ZeroDivisionError), store.transaction("default") as tx:
            tx.change(a, "update", "test", T0, **{name: "rolled back"})
            raise ZeroDivisionError
        assert scores(search(store, arm)) == {a: 1.0, b: 1.0}
        with store.transaction("default") as tx:
            tx.change(a, "update", "test", T0, **{name: "teapot"})
            tx.change(b, "update", "test", T0, **{name: getattr(tx.memories([b])[0], name), "importance": 5})
        assert scores(search(store, arm)) == {b: 1.0}
        assert reader.vectors(MODEL, keys(a, b))[1].tolist() == [False, True]
        found = [bool(scores(search(store, KeywordArm(((term, 1.0),))))) for term in ("kettl", "teapot")]
        assert found == [name == "context", True]
        assert reader.history(a)[0].before[name] == ("kettle" if name == "content" else "")
        with store.transaction("default") as tx:
            tx.put_vectors(MODEL, [a], Y[None, :])
        assert scores(search(store, VectorArm(Y, MODEL))) == {a: 1.0}
        assert store.check() == []

    def test_a_move_to_another_place_in_the_session_is_followed(self, store: Store, reader: Reader) -> None:
        a, b, c = add(store, *(turn(f"{i}", i) for i in range(3)))
        around = reader.neighbours
        assert around(keys(b), 1, 1) == [[a, c]]
        with store.transaction("default") as tx:
            tx.change(a, "move", "test", T0, position=9)
        assert around(keys(b, a), 1, 1) == [[c], [c]]

    def test_a_link_made_again_by_somebody_is_theirs(self, store: Store, reader: Reader) -> None:
        a, b = add(store, memory("a"), memory("b"))
        with store.transaction("default") as tx:
            tx.link([Link(a, b, "may_revise", 0.4)], T0)
            assert tx.link([Link(a, b, "may_revise", 0.2, created_by="user")], T0) == 0
            tx.link([Link(a, b, "may_revise", 0.3)], T0)
        (link,) = reader.links([a], ("may_revise",))
        assert (link.weight, link.created_by) == (0.4, "user")

    def test_links_keep_the_higher_weight_and_count_the_new(self, store: Store, reader: Reader) -> None:
        a, b = add(store, memory("a"), memory("b"))
        with store.transaction("default") as tx:
            assert tx.link([Link(a, b, "semantic", 0.5, "", "first")], T0) == 1
            assert tx.link([Link(a, b, "semantic", 0.75, "", "again"), Link(b, a, "semantic", 0.25)], T0) == 1
            assert tx.link([Link(a, b, "semantic", 0.25), Link(a, b, "semantic", 0.25, "sub")], T0) == 1
            assert tx.link([], T0) == 0
        found = reader.links([a], ["semantic"])
        assert [(link.source, link.subtype, link.weight, link.reason) for link in found] == [
            (a, "", 0.75, "first"),
            (a, "sub", 0.25, ""),
            (b, "", 0.25, ""),
        ]

    def test_unlink(self, store: Store, reader: Reader) -> None:
        a, b = add(store, memory("a"), memory("b"))
        with store.transaction("default") as tx:
            tx.link([Link(a, b, "causal", 1.0), Link(a, b, "causal", 1.0, "x"), Link(b, a, "causal", 1.0)], T0)
            tx.link([Link(a, b, "entity", 1.0)], T0)
        with store.transaction("default") as tx:
            assert tx.unlink(a, b, "causal") == 2
            assert tx.unlink(a, b, "causal") == 0
        assert [(each.source, each.type) for each in reader.links([a])] == [(a, "entity"), (b, "causal")]

    def test_questions_and_verdicts_are_edges_of_their_own(self, store: Store, reader: Reader) -> None:
        a, b, c = add(store, memory("a"), memory("b"), memory("c"))
        with store.transaction("default") as tx:
            tx.link([Link(b, a, "may_revise", 0.75, "", "why"), Link(c, b, "may_revise", 0.5, "both")], T0)
            tx.link([Link(b, a, "supersedes", 1.0, "corrects", "a slip", "user")], T0)
        assert [(each.source, each.subtype) for each in reader.links([b], ["may_revise"])] == [
            (b, ""),
            (c, "both"),
        ]
        assert [each.type for each in reader.edges(["may_revise"])] == ["may_revise"] * 2
        with store.transaction("default") as tx:
            assert tx.unlink(b, a, "may_revise") == 1
        assert [(each.type, each.subtype) for each in reader.links([a])] == [("supersedes", "corrects")]
        with store.transaction("default") as tx:
            tx.erase([c], T0)
        assert [each.type for each in reader.edges()] == ["supersedes"]

    def test_a_slot_is_set_cleared_and_found_in_the_transaction_that_wrote_it(self, store: Store) -> None:
        (a,) = add(store, memory("a", slot="ana.city"))
        where = one_of_texts("slot", ("ana.city",))
        with store.transaction("default") as tx:
            (b,) = tx.insert([Arrival(memory("b", slot="ana.city"))])
            assert sorted(tx.page(where, Order(descending=False), 9)) == [a, b]
            tx.change(a, "update", "user", T0, slot=None)
            assert tx.page(where, Order(), 9) == [b]
        assert store.reader("default").history(a)[0].before == {"slot": "ana.city"}
        assert store.reader("other").page(where, Order(), 9) == []

    def test_put_vectors_replaces(self, store: Store) -> None:
        a, b = add(store, (memory("a"), X), memory("b"))
        arm = VectorArm(X, MODEL)
        assert list(scores(search(store, arm))) == [a]
        with store.transaction("default") as tx:
            tx.put_vectors(MODEL, [a, b], np.stack([Y, X]))
        assert scores(search(store, arm)) == {b: 1.0}

    def test_unusable_vectors_are_refused(self, store: Store) -> None:
        (a,) = add(store, (memory("a"), X))
        for bad in (vector(1, 0), np.array([np.nan, 0, 0, 0], dtype=np.float32)):
            with pytest.raises(InvalidInputError), store.transaction("default") as tx:
                tx.put_vectors(MODEL, [a], bad[None, :])
            with pytest.raises(InvalidInputError):
                add(store, (memory("b", 1), bad))
        with pytest.raises(NotFoundError), store.transaction("default") as tx:
            tx.put_vectors(MODEL, [10**6], X[None, :])
        assert scores(search(store, VectorArm(X, MODEL))) == {a: 1.0}

    def test_touch_counts_and_leaves_no_version(self, store: Store, reader: Reader) -> None:
        (a,) = add(store, memory("a"))
        with store.transaction("default") as tx:
            tx.touch({a: (2, T0 + 60), 10**6: (1, T0)})
        with store.transaction("default") as tx:
            tx.touch({a: (1, T0 + 30)})
        (now,) = reader.memories([a])
        assert (now.access_count, now.last_accessed_at) == (3, START + timedelta(seconds=60))
        assert reader.accesses(keys(a)).tolist() == [3]
        assert reader.history(a) == []

    def test_own_writes_are_seen_where_it_matters(self, store: Store) -> None:
        (old,) = add(store, memory("old", 1, content_hash="h1", session="s", position=3, entities=("Ann",)))
        at = {"session": "s"}
        fresh = memory("new", 5, content_hash="h2", **at, position=4, source="mail", entities=("ANN",))
        gone = memory("dead", 6, content_hash="h3", **at, position=5, status="forgotten", entities=("Ann",))
        with store.transaction("default") as tx:
            new, dead = tx.insert([Arrival(fresh), Arrival(gone)])
            assert tx.live_with_hash(["h1", "h2", "h3", "never"]) == {"h1": old, "h2": new}
            assert (tx.next_position("s"), tx.next_position("never")) == (6, 0)
            assert tx.latest(5) == [(new, T0 + 300), (old, T0 + 60)]
            assert tx.latest(1) == [(new, T0 + 300)]
            assert tx.latest(5, source="user") == [(old, T0 + 60)]
            assert tx.latest(5, before=T0 + 60) == [(old, T0 + 60)]
            assert tx.latest(5, before=T0 + 59) == []
            assert tx.naming(["ann", "Bob"], 1) == {"ann": (2, [new]), "Bob": (0, [])}
            assert tx.naming(["Ann"], 5) == {"Ann": (2, [new, old])}
            assert (tx.count_live(), tx.count_live(["episode"])) == (2, 0)
            tx.link([Link(old, new, "temporal", 1.0)], T0)
            assert [each.target for each in tx.links([old])] == [new]
            assert [each.content for each in tx.memories([new, dead])] == ["new", "dead"]
            tx.change(new, "forget", "test", T0, status="forgotten")
            assert tx.naming(["ann"], 5) == {"ann": (1, [old])}
            assert len(tx.history(new)) == 1

    def test_the_oldest_live_memory_answers_for_a_hash(self, store: Store) -> None:
        statuses = ("merged", "active", "active")
        _, b, _ = add(store, *(memory(f"{i}", i, content_hash="h", status=s) for i, s in enumerate(statuses)))
        with store.transaction("default") as tx:
            assert tx.live_with_hash(["h"]) == {"h": b}

    def test_revision_grows_with_every_commit_of_the_namespace(self, store: Store, reader: Reader) -> None:
        assert reader.revision() == 0
        add(store, memory("a"))
        add(store, memory("b"))
        add(store, memory("c"), namespace="other")
        assert reader.revision() == 2


class Erasing(StoreCases):
    """Nothing of an erased memory remains."""

    def test_every_trace_goes(self, store: Store, reader: Reader) -> None:
        gone_memory = memory(
            "zanzibar secret", id="0190eeee-gone", context="quokka", tags=("tag",), entities=("Zed",)
        )
        gone, kept = add(
            store,
            (gone_memory, X),
            (memory("zebra", 1, supersedes=gone_memory.id, evidence=(gone_memory.id, "e2")), Y),
        )
        with store.transaction("default") as tx:
            tx.change(gone, "x", "y", T0, importance=5)
            tx.change(kept, "x", "y", T0, superseded_by=gone_memory.id)
            tx.change(kept, "x", "y", T0, superseded_by=None)
            tx.link([Link(gone, kept, "causal", 1.0, "", "zanzibar")], T0)
            tx.note("remember", gone_memory.id, "zanzibar", T0)
            tx.note("replace", "another", f"replaced {gone_memory.id}", T0)
        with store.transaction("default") as tx:
            tx.erase([gone, gone, 10**6], T0 + 9)
        assert reader.memories([gone]) == []
        assert reader.keys_of([gone_memory.id, "0190eeee"]) == {}
        for term in ("zanzibar", "secret", "quokka", "zed", "tag"):
            assert scores(search(store, KeywordArm(((term, 1.0),)))) == {}
        assert list(scores(search(store, VectorArm(X, MODEL, minimum=-1)))) == []
        assert list(scores(search(store, RecencyArm()))) == [kept]
        assert (reader.links([gone, kept]), reader.edges(), reader.history(gone)) == ([], [], [])
        assert (reader.known_entities(["Zed"]), reader.entity_counts()) == (set(), [])
        assert reader.status()["vectors"] == {MODEL: 1}
        (left,) = reader.memories([kept])
        assert (left.supersedes, left.evidence) == (None, ("e2",))
        assert gone_memory.id not in str(reader.history(kept))
        assert gone_memory.id not in str(reader.log(99))
        assert "zanzibar" not in str(reader.log(99))
        assert reader.log(1)[0]["detail"] == "1 memories"
        assert store.check() == []

    def test_reads_go_on_after_an_erasure(self, store: Store, reader: Reader) -> None:
        """The slots of all later memories shift: cached columns and vectors must follow."""
        axes = np.eye(4, dtype=np.float32)
        a, b, c = add(store, *((turn(f"word{i}", i), axes[i]) for i in range(3)))
        arms: dict[str, Arm] = {"words": KeywordArm((("word2", 1.0),)), "vectors": VectorArm(axes[2], MODEL)}
        assert [order(each.keys) for each in reader.search(arms, Filter(), 5).lists.values()] == [[c], [c]]
        with store.transaction("default") as tx:
            tx.erase([b], T0)
        assert [order(each.keys) for each in reader.search(arms, Filter(), 5).lists.values()] == [[c], [c]]
        assert reader.neighbours(keys(a), 1, 1) == [[c]]
        (d,) = add(store, (turn("word2 again", 9), axes[2]))
        assert order(reader.search(arms, Filter(), 5).lists["vectors"].keys) == [c, d]
        assert reader.neighbours(keys(c), 1, 1) == [[a, d]]

    def test_what_was_changed_is_erased_too(self, store: Store) -> None:
        (key,) = add(store, memory("a", context="kettle"))
        with store.transaction("default") as tx:
            tx.change(key, "x", "y", T0, context="teapot")
            tx.erase([key], T0)
        assert scores(search(store, KeywordArm((("kettl", 1.0), ("teapot", 1.0))))) == {}
        assert store.check() == []
