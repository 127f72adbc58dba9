"""Nothing that a write decides leaves a scope, in any preset, on both stores, with and without vectors."""

from __future__ import annotations

from dataclasses import replace

import pytest
from two_stores import opened

from combray import Engine, InvalidInputError
from combray.testing.fakes import FakeDistiller

ANN, BOB = ["scope:user:ann"], ["scope:user:bob"]
PRESETS = ("default", "mnemon", "mnemo", "openclaw", "engram", "semantic-facts")
LEVELS = ("none", "wordllama")

pytestmark = pytest.mark.parametrize("store", ["sqlite", "reference"])


def live(engine: Engine, *tags: str) -> list[str]:
    where = {"tags": {"in": list(tags)}} if tags else None
    return sorted(each.content for each in engine.list(where=where, limit=100))


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("embedder", LEVELS)
def test_a_value_of_another_scope_is_not_superseded(store: str, embedder: str, preset: str) -> None:
    """Issue: "Ann's memory is superseded and her scope finds nothing"."""
    engine = opened(store, embedder, preset)
    engine.remember("My favourite colour is blue", tags=ANN)
    engine.remember("My favourite colour is now green, not blue", tags=BOB)
    found = engine.recall("What is the favourite colour?", tags=ANN)
    assert [hit.memory.content for hit in found] == ["My favourite colour is blue"]


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("embedder", LEVELS)
def test_the_same_text_in_two_scopes_is_stored_twice(store: str, embedder: str, preset: str) -> None:
    engine = opened(store, embedder, preset)
    text = "The build server restarts every night at three"
    first = engine.remember(text, tags=ANN)
    second = engine.remember(text, tags=BOB)
    third = engine.remember(text)
    assert [each.action for each in (first, second, third)] == ["added"] * 3
    again = [engine.remember(text, tags=tags) for tags in (["Scope:user:Ann"], BOB, None, ["scope:global"])]
    assert [(each.action, each.id) for each in again] == [
        ("skipped", each.id) for each in (first, second, third, third)
    ]
    both = engine.remember_many([{"content": "Tea is at four", "tags": tags} for tags in (ANN, BOB, ANN)])
    assert [each.action for each in both] == ["added", "added", "skipped"]


@pytest.mark.parametrize("embedder", LEVELS)
def test_no_candidate_is_of_another_scope(store: str, embedder: str) -> None:
    for preset in ("default", "mnemon"):
        engine = opened(store, embedder, preset)
        engine.remember("Marta Klein works at the Berlin office", tags=ANN, author="Ann")
        done = engine.remember("Marta Klein works at the Hamburg office since May", tags=BOB, author="Ann")
        assert done.may_revise == ()
        assert done.semantic_candidates == ()
        assert done.causal_candidates == ()
        assert engine.reader.edges(("may_revise", "semantic")) == []
        same = engine.remember("Marta Klein works at the Munich office", tags=ANN, author="Ann")
        proposed = [*same.may_revise, *same.semantic_candidates, *same.causal_candidates]
        assert "Hamburg" not in str(proposed)


@pytest.mark.parametrize("embedder", LEVELS)
def test_a_verdict_joins_no_two_scopes(store: str, embedder: str) -> None:
    engine = opened(store, embedder, "default")
    old = engine.remember("The office closes at five", tags=ANN)
    new = engine.remember("The office closes at six", tags=BOB)
    for verdict in ("supersedes", "corrects", "same"):
        with pytest.raises(InvalidInputError, match="in different scopes"):
            engine.settle(new.id, old.id, verdict)
    engine.settle(new.id, old.id, "both")
    with pytest.raises(InvalidInputError, match="in another scope"):
        engine.remember("The office closes at seven", tags=BOB, supersedes=old.id)
    assert len(live(engine)) == 2


@pytest.mark.parametrize("embedder", LEVELS)
def test_a_slot_has_one_value_in_each_scope(store: str, embedder: str) -> None:
    engine = opened(store, embedder, "default")
    engine.remember("Lives in Lisbon", slot="city", tags=ANN)
    engine.remember("Lives in Oslo", slot="city", tags=BOB)
    engine.remember("Lives in Rome", slot="city")
    assert live(engine) == ["Lives in Lisbon", "Lives in Oslo", "Lives in Rome"]
    engine.remember("Lives in Porto", slot="city", tags=ANN)
    # No scope and scope:global are the same.
    engine.remember("Lives in Milan", slot="city", tags=["scope:global"])
    assert live(engine) == ["Lives in Milan", "Lives in Oslo", "Lives in Porto"]


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("embedder", LEVELS)
def test_consolidation_merges_and_supersedes_within_a_scope_only(store: str, embedder: str, preset: str) -> None:
    engine = opened(store, embedder, preset)
    texts = ["Ana lives in Lisbon", "Ana lives in Oslo"]
    for tags, text in zip((ANN, BOB), texts, strict=True):
        engine.remember(text, tags=tags, confidence=0.9)
        engine.remember("The server is in Frankfurt", tags=tags, confidence=0.9)
        engine.runtime.clock.pass_(days=1)  # type: ignore[attr-defined]
    engine.consolidation.run()
    assert live(engine) == [*texts, "The server is in Frankfurt", "The server is in Frankfurt"]
    engine.remember("Ana lives in Bergen", tags=BOB, confidence=0.9, diff=False)
    engine.consolidation.run()
    assert live(engine, *ANN) == ["Ana lives in Lisbon", "The server is in Frankfurt"]
    assert live(engine, *BOB) == ["Ana lives in Bergen", "The server is in Frankfurt"]


@pytest.mark.parametrize("embedder", LEVELS)
def test_facts_of_a_conversation_have_the_scope_of_their_turns(store: str, embedder: str) -> None:
    engine = opened(store, embedder, "default")
    for tags, session in ((ANN, "one"), (BOB, "two")):
        talk = engine.conversation(session)
        talk.add("My name is Ann Keller and I live in Lisbon.", author="Ann", tags=tags, extract="rules")
        assert talk.saved
    facts = engine.list(where={"kind": "fact"}, limit=100)
    assert {scope for each in facts for scope in each.tags} == {*ANN, *BOB}
    engine.runtime.clock.pass_(days=1)  # type: ignore[attr-defined]
    told = {"My name is Ann Keller and I live in Lisbon.": "Ann Keller lives in Lisbon"}
    engine._at.runtime = replace(engine.runtime, language_model=FakeDistiller(told))
    engine.consolidation.run()
    derived = engine.list(where={"source": "extraction"}, limit=100)
    assert len(derived) == 2
    for fact in derived:
        assert {tag for turn in fact.evidence for tag in engine.get(turn).tags} == set(fact.tags)


@pytest.mark.parametrize("embedder", LEVELS)
def test_mnemo_without_a_scope_recalls_the_global_one(store: str, embedder: str) -> None:
    engine = opened(store, embedder)
    engine.remember("The kiln is fired on Mondays", tags=ANN)
    engine.remember("The kiln is fired with gas")
    assert [hit.memory.content for hit in engine.recall("kiln fired")] == ["The kiln is fired with gas"]
    assert [hit.memory.content for hit in engine.recall("kiln fired", tags=ANN)] == [
        "The kiln is fired on Mondays"
    ]
    assert len(engine.recall("kiln fired", tags=[*ANN, "scope:global"])) == 2
    assert len(engine.recall("kiln fired", preset="default")) == 2
