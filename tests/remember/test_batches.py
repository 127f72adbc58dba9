"""`remember_many`: one transaction a batch, and what one by one would have given."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest

import combray
from combray import Engine, InvalidInputError
from combray.testing.fakes import FakeClock, FakeEmbedder

ITEMS: list[Any] = [
    {"content": "Chose SQLite as storage because Dana knows SQLite", "category": "decision", "importance": 4},
    {"content": "The build server is called Zephyr", "source": "agent"},
    {"content": "the build server is called zephyr."},
    {"content": "Zephyr fails because the SQLite file is locked", "occurred_at": "2024-05-01T12:00:00Z"},
    {"content": "Chose PostgreSQL to replace SQLite as storage", "category": "decision"},
    {"content": "Invoices go out on Fridays", "tags": ["money"]},
]


def engine_of(preset: str = "mnemon", embedded: bool = True) -> Engine:
    return combray.open(
        ":memory:", preset=preset, embedder=FakeEmbedder() if embedded else "none", clock=FakeClock()
    )


def picture(engine: Engine) -> tuple[Any, ...]:
    """All that a run left behind, ids replaced by texts."""
    memories = engine.reader.memories(range(1, 100))
    text = {memory.id: memory.content for memory in memories}
    return (
        [(m.content, m.status, m.entities, text.get(m.supersedes or ""), text.get(m.superseded_by or ""))
         for m in memories],
        sorted((text[e.source], text[e.target], e.type, e.subtype, e.weight) for e in engine.reader.edges()),
    )  # fmt: skip


@pytest.mark.parametrize("embedded", [True, False])
@pytest.mark.parametrize("preset", ["mnemon", "default"])
def test_memories_and_decisions_are_those_of_one_by_one(preset: str, embedded: bool) -> None:
    together, apart = engine_of(preset, embedded), engine_of(preset, embedded)
    results = together.remember_many(ITEMS)
    singles = [apart.remember(item["content"], **{k: v for k, v in item.items() if k != "content"})
               for item in ITEMS]  # fmt: skip
    assert [(each.action, each.diff_suggestion) for each in results] == [
        (each.action, each.diff_suggestion) for each in singles
    ]
    assert picture(together)[0] == picture(apart)[0]


@pytest.mark.parametrize("embedded", [True, False])
def test_edges_are_those_of_one_by_one(embedded: bool) -> None:
    """Nothing is replaced here: within a batch, what is replaced keeps the links it got before."""
    items = [item for item in ITEMS if "replace" not in item["content"]]
    together, apart = engine_of(embedded=embedded), engine_of(embedded=embedded)
    together.remember_many(items)
    for item in items:
        apart.remember_many([item])
    assert picture(together) == picture(apart)
    assert {edge[2] for edge in picture(together)[1]} >= {"temporal", "entity", "causal"}


def test_duplicates_inside_a_batch() -> None:
    engine = engine_of()
    results = engine.remember_many(["Alpha rains", "Beta shines", "alpha rains.", "ALPHA RAINS"])
    assert [each.action for each in results] == ["added", "added", "skipped", "skipped"]
    assert {results[0].id} == {results[2].id, results[3].id}
    assert engine.store.status()["total_insights"] == 2


def test_supersession_inside_a_batch() -> None:
    engine = engine_of()
    results = engine.remember_many(["Chose SQLite as storage", "Chose PostgreSQL to replace SQLite as storage"])
    assert results[1].replaced_id == results[0].id
    assert engine.get(results[0].id).superseded_by == results[1].id
    assert [hit.memory.id for hit in engine.recall("SQLite storage")] == [results[1].id]


def test_a_repeated_duplicate_names_what_is_stored() -> None:
    """Both items repeat, in other words, what is stored: neither may point at an item that was never stored."""
    engine = engine_of()
    first = engine.remember("Qdrant holds vectors, notes, pictures, sounds, films, letters, maps, books, plans")
    text = "Qdrant really holds vectors, notes, pictures, sounds, films, letters, maps, books, plans"
    results = engine.remember_many([text, text])
    assert [each.action for each in results] == ["skipped", "skipped"]
    assert [each.id for each in results] == [first.id, first.id]


def test_a_memory_is_replaced_once() -> None:
    """Two items of a batch replace one memory: the first does, the second follows or stands beside it."""
    engine = engine_of(embedded=False)
    old = engine.remember("Chose SQLite as storage")
    results = engine.remember_many(
        ["Chose PostgreSQL to replace SQLite as storage", "Replaced SQLite as storage with a folder of files"]
    )
    assert results[0].replaced_id == old.id
    assert engine.get(old.id).superseded_by == results[0].id
    assert results[1].replaced_id != old.id


def test_positions_in_sessions() -> None:
    engine = engine_of()
    engine.remember_many([{"content": "one", "session": "a", "kind": "episode"}], diff=False)
    engine.remember_many(
        [
            {"content": "two", "session": "a", "kind": "episode"},
            {"content": "first of b", "session": "b", "kind": "episode"},
            {"content": "seven", "session": "a", "position": 7, "kind": "episode"},
            {"content": "eight", "session": "a", "kind": "episode"},
        ],
        diff=False,
    )
    found = {m.content: m.position for m in engine.reader.memories(range(1, 10))}
    assert found == {"one": 0, "two": 1, "first of b": 0, "seven": 7, "eight": 8}


def test_a_bad_item_stops_its_atomic_batch_and_nothing_of_it_is_written() -> None:
    engine = engine_of()
    done: list[int] = []
    items = [f"text{n}" for n in range(4)] + ["text4", "", "text6"]
    with pytest.raises(InvalidInputError, match="content: is empty"):
        engine.remember_many(items, batch=2, progress=done.append, atomic=True)
    # Batches of two: (0 1) (2 3) are in, (4 "") is not, (6) was never reached.
    assert done == [2, 4]
    assert [m.content for m in engine.reader.memories(range(1, 10))] == ["text0", "text1", "text2", "text3"]


def test_texts_are_embedded_a_batch_at_a_time() -> None:
    embedder = FakeEmbedder()
    engine = combray.open(":memory:", embedder=embedder)
    engine.remember_many((f"text{n}" for n in range(5)), batch=2)
    assert embedder.calls == [["text0", "text1"], ["text2", "text3"], ["text4"]]


def test_a_failing_embedder_costs_the_vectors_only() -> None:
    engine = combray.open(":memory:", embedder=FakeEmbedder(failing=True))
    result = engine.remember("Alpha rains")
    assert (result.action, result.embedded) == ("added", False)
    assert any("stored without vectors" in step.note for step in result.trace)
    assert engine.recall("alpha")[0].memory.id == result.id


@pytest.mark.parametrize(
    "call",
    [
        lambda engine: engine.remember_many("one text"),
        lambda engine: engine.remember_many({"content": "one mapping"}),
        lambda engine: engine.remember_many(["text"], batch=0),
        lambda engine: engine.remember_many(["text"], batch="2"),
        lambda engine: engine.remember_many([5], atomic=True),
        lambda engine: engine.remember_many([None], atomic=True),
        lambda engine: engine.remember_many([["text"]], atomic=True),
        lambda engine: engine.remember_many([{}], atomic=True),
        lambda engine: engine.remember_many([{5: "text", "content": "text"}], atomic=True),
    ],
)
def test_what_is_no_list_of_items_is_refused(call: Callable[[Engine], Any]) -> None:
    engine = engine_of()
    with pytest.raises(InvalidInputError):
        call(engine)
    assert engine.store.status()["total_insights"] == 0


def test_a_large_batch_of_like_texts_takes_no_memory_for_each_pair() -> None:
    with combray.open(":memory:") as engine:
        engine.remember("The sensor is on.")
        texts = [f"Sensor {number} reports {number % 7} degrees in hall {number % 5}." for number in range(1_500)]
        tracemalloc.start()
        try:
            results = engine.remember_many(texts, batch=len(texts))
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert {each.action for each in results} == {"added"}
    # A million pairs took more than 100 MB.
    assert peak < 60e6
