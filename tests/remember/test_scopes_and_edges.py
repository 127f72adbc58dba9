"""No edge joins two scopes, whether a write, a change, an import or a person makes it."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest
from two_stores import opened

import combray
from combray import Engine, InvalidInputError
from combray.language.scopes import scope_set
from combray.runtime import Link
from combray.types import SCOPED_EDGES, MemoryItem

ANN, BOB = ["scope:user:ann"], ["scope:user:bob"]
PRESETS = ("default", "mnemon", "mnemo", "openclaw", "engram", "semantic-facts")
TEXTS = (
    "Marta Klein moved the Kafka broker to Berlin",
    "The Kafka broker failed because Marta Klein moved it to Berlin",
    "Therefore Marta Klein restarted the Kafka broker in Berlin",
    "The Kafka broker of Marta Klein runs again in Berlin",
)

each_store = pytest.mark.parametrize("store", ["sqlite", "reference"])
each_embedder = pytest.mark.parametrize("embedder", ["none", "wordllama"])


def crossing(engine: Engine) -> list[tuple[str, ...]]:
    """(type, text, text) of every edge that joins two scopes."""
    found = []
    for edge in engine.reader.edges():
        ends = engine.get(edge.source), engine.get(edge.target)
        if len({scope_set(each.tags) for each in ends}) > 1:
            found.append((edge.type, *(each.content for each in ends)))
    return found


def kinds_within(engine: Engine, tags: list[str]) -> set[str]:
    wanted = scope_set(tags)
    return {e.type for e in engine.reader.edges() if scope_set(engine.get(e.source).tags) == wanted}


@each_store
@each_embedder
@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("at_once", [False, True])
def test_a_write_joins_no_two_scopes(store: str, embedder: str, preset: str, at_once: bool) -> None:
    engine = opened(store, embedder, preset)
    items: list[MemoryItem] = [
        {"content": f"{text}, said {name}", "tags": tags}
        for text in ("lunch is at noon", *TEXTS)
        for name, tags in (("Ann", ANN), ("Bob", BOB), ("all", []))
    ]
    if at_once:
        engine.remember_many(items, diff=False)
    else:
        for item in items:
            engine.remember_many([item], diff=False)
    assert crossing(engine) == []
    for tags in (ANN, BOB, []):
        if preset != "openclaw":
            assert {"temporal", "entity", "causal"} <= kinds_within(engine, tags)


@each_store
def test_a_scope_is_linked_although_others_wrote_much_in_between(store: str) -> None:
    """The newest of the store are all Bob's: Ann's next memory is still linked to her last one."""
    engine = opened(store, "none", "mnemon")
    engine.remember_many(["lunch is at noon", "tea is at four", "dinner is at eight"])
    first = engine.remember("Marta Klein moved the Kafka broker", tags=ANN).id
    engine.remember_many(
        [{"content": f"Marta Klein moved Kafka topic {number}", "tags": BOB} for number in range(150)], diff=False
    )
    second = engine.remember("The Kafka broker failed because Marta Klein moved it", tags=ANN).id
    joined = {
        edge.type
        for edge in engine.reader.edges(("temporal", "entity", "causal"))
        if {edge.source, edge.target} == {first, second}
    }
    assert joined == {"temporal", "entity", "causal"}
    assert crossing(engine) == []


@each_store
@each_embedder
def test_a_changed_text_and_a_changed_scope_join_no_two_scopes(store: str, embedder: str) -> None:
    engine = opened(store, embedder, "mnemon")
    ids = [
        engine.remember(f"{text}, said {name}", tags=tags, diff=False).id
        for text in TEXTS
        for name, tags in (("Ann", ANN), ("Bob", BOB))
    ]
    engine.update(ids[0], content="Marta Klein moved the Kafka broker because of Redis in Berlin, said Ann")
    engine.update(ids[1], entities=["Kafka", "Redis", "Berlin"])
    assert crossing(engine) == []
    engine.update(ids[2], tags=BOB)
    assert crossing(engine) == []
    assert any(ids[2] in (edge.source, edge.target) for edge in engine.reader.edges(("entity",)))


@each_store
def test_a_link_by_hand_and_an_imported_edge_join_no_two_scopes(store: str) -> None:
    engine = opened(store, "none", "default")
    ann = engine.remember("Tea is at four", tags=ANN).id
    bob = engine.remember("Coffee is at nine", tags=BOB).id
    with pytest.raises(InvalidInputError, match="another scope"):
        engine.link(ann, bob, type="causal")
    items = [
        {"content": "The kettle is blue", "tags": ANN, "occurred_at": "2026-01-02"},
        {"content": "The cup is red", "tags": BOB, "occurred_at": "2026-01-03", "edges": [{"target": 0}]},
        {"content": "The saucer is red", "tags": BOB, "occurred_at": "2026-01-04", "edges": [{"target": 1}]},
    ]
    lines = [json.dumps(each) for each in items]
    (problem,) = engine.store.import_from(lines).problems
    assert "different scopes" in str(problem)
    engine.store.import_from(lines, dry_run=False, skip_bad=True)
    assert crossing(engine) == []
    assert [edge.type for edge in engine.reader.edges(("semantic",))] == ["semantic"]


@each_embedder
def test_consolidation_joins_no_two_scopes(embedder: str) -> None:
    engine = opened("sqlite", embedder, "semantic-facts")
    for text in (*TEXTS, "Ann likes tea", "Ann likes tea very much", "Ann does not like tea"):
        for tags in (ANN, BOB):
            engine.remember(text, tags=tags, diff=False)
    engine.consolidation.run()
    assert crossing(engine) == []


@each_store
@each_embedder
def test_doctor_reports_and_removes_edges_of_an_older_store(store: str, embedder: str) -> None:
    engine = opened(store, embedder, "mnemon")
    ann, bob = (engine.remember(text, tags=tags).id for text, tags in zip(TEXTS, (ANN, BOB), strict=False))
    keys = engine.reader.keys_of([ann, bob])
    # As older versions linked them.
    with engine.runtime.store.transaction("default") as tx:
        tx.link([Link(keys[ann], keys[bob], type_, 0.5) for type_ in SCOPED_EDGES], 0.0)
        tx.link([Link(keys[ann], keys[bob], "may_revise", 1.0, "both")], 0.0)
    assert len(crossing(engine)) == 5
    assert engine.related(ann) == []
    found = next(each for each in engine.store.doctor() if each.name == "scopes")
    assert (found.ok, found.detail) == (
        False,
        "4 edges join memories of different scopes; 'combray doctor --repair' removes them",
    )
    assert len(crossing(engine)) == 5
    done = engine.store.doctor(repair=True)
    assert ("repair", "removed 4 edges between scopes") in [(each.name, each.detail) for each in done]
    # A verdict that both hold was given by somebody and joins nothing.
    assert [kind for kind, *_ in crossing(engine)] == ["may_revise"]
    assert next(each for each in engine.store.doctor() if each.name == "scopes").ok
    assert any(line["operation"] == "repair" and "4 edges" in line["detail"] for line in engine.store.log())


def test_the_repair_is_in_the_audit(tmp_path: Path) -> None:
    with combray.open(str(tmp_path / "a.db"), preset="mnemon", embedder="none", worker=False) as engine:
        ann, bob = (engine.remember(text, tags=tags).id for text, tags in zip(TEXTS, (ANN, BOB), strict=False))
        keys = engine.reader.keys_of([ann, bob])
        with engine.runtime.store.transaction("default") as tx:
            tx.link([Link(keys[ann], keys[bob], "entity", 0.5)], 0.0)
        engine.store.doctor(repair=True)
        lines = engine.audit.entries()
        assert "repair" in [each.operation for each in itertools.islice(lines, 100)]
        assert engine.audit.verify().ok
