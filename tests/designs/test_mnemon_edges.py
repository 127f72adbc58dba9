"""Golden runs of preset mnemon: the four edge creators, effective importance, pruning, by hand."""

from __future__ import annotations

import math

import pytest
from exact import PLACES, ExactEmbedder, edges, opened, sharing, status_of

from combray.remember.retain import Prune, RefreshImportance
from combray.testing.fakes import FakeClock

# -- CreateTemporalEdge -> backbone + 24h proximity -------------------------------------------------


def test_backbone_and_proximity() -> None:
    """ "backbone + 24h proximity"; proximity weighs 1/(1+hours) (upstream notes 2.2)."""
    clock = FakeClock()
    engine = opened(clock)
    engine.remember("Alpha rains", source="user")
    clock.pass_(hours=3)
    engine.remember("Beta shines", source="agent")
    clock.pass_(hours=1)
    result = engine.remember("Gamma blows", source="user")
    # Backbone to the latest of source "user", four hours ago; proximity to the other, one hour ago: 1/2.
    assert result.edges_created["temporal"] == 2
    assert edges(engine, "temporal") == {
        ("Alpha rains", "Beta shines"): 0.25,
        ("Alpha rains", "Gamma blows"): 1.0,
        ("Beta shines", "Gamma blows"): 0.5,
    }


def test_proximity_ends_after_24_hours_and_the_backbone_does_not() -> None:
    clock = FakeClock()
    engine = opened(clock)
    engine.remember("Alpha rains", source="user")
    engine.remember("Beta shines", source="agent")
    clock.pass_(hours=24)
    engine.remember("Gamma blows", source="user")
    clock.pass_(seconds=1)
    engine.remember("Delta freezes", source="user")
    found = edges(engine, "temporal")
    # 24 hours: 1/25. A second more: nothing but the backbone, to Gamma.
    assert found[("Beta shines", "Gamma blows")] == 0.04
    assert ("Beta shines", "Delta freezes") not in found
    assert found[("Gamma blows", "Delta freezes")] == 1.0


def test_proximity_takes_the_ten_newest() -> None:
    """Upstream notes 2.2: "insights within 24 h, newest 10"."""
    clock = FakeClock()
    engine = opened(clock)
    for number in range(12):
        engine.remember(f"word{number}", source=f"source{number}")
        clock.pass_(minutes=1)
    assert engine.remember("last", source="another").edges_created["temporal"] == 10


def test_the_chain_does_not_run_through_what_was_replaced() -> None:
    """Step 3: "0 Soft-delete replaced insight" comes before "3 CreateTemporalEdge"."""
    clock = FakeClock()
    engine = opened(clock)
    engine.remember("Alpha rains")
    clock.pass_(hours=30)
    engine.remember("Chose SQLite as storage")
    clock.pass_(hours=30)
    result = engine.remember("Chose PostgreSQL to replace SQLite")
    assert result.action == "replaced"
    assert edges(engine, "temporal") == {
        ("Alpha rains", "Chose SQLite as storage"): 1.0,
        ("Alpha rains", "Chose PostgreSQL to replace SQLite"): 1.0,
    }


# -- CreateEntityEdges -> regex + dictionary extraction -> co-occurrence links ------------------------


def test_entity_edges_weigh_one_while_there_are_five_memories() -> None:
    """Upstream notes 2.2: "1.0 while N <= 5"."""
    engine = opened()
    engine.remember("Qdrant stores vectors")
    result = engine.remember("Backups of Qdrant run nightly")
    assert result.edges_created["entity"] == 1
    assert edges(engine, "entity") == {("Qdrant stores vectors", "Backups of Qdrant run nightly"): 1.0}


def test_entity_edges_weigh_by_inverse_document_frequency() -> None:
    """Upstream notes 2.2: weight log(N/df)/log(N), floor 0.1, 0 if df >= N."""
    engine = opened()
    for number in range(6):
        engine.remember(f"filler{number}", diff=False)
    engine.remember("Milvus is slow")
    engine.remember("Milvus is gone")
    # N = 8 with the new one, two name Milvus: ln(8/2)/ln(8) = 2 ln 2 / 3 ln 2 = 2/3.
    assert edges(engine, "entity") == {("Milvus is slow", "Milvus is gone"): pytest.approx(2 / 3, abs=1e-6)}


def test_an_entity_in_every_memory_links_nothing() -> None:
    engine = opened()
    for number in range(6):
        result = engine.remember(f"Redis holds part{number}", diff=False)
    # Up to N = 5 every edge weighs 1.0; at N = 6 with df = 6 it is 0 and not stored.
    assert result.edges_created["entity"] == 0


def test_five_newest_holders_of_an_entity_are_linked() -> None:
    """Upstream notes 2.2: "<= 5 linked insights per entity"."""
    engine = opened()
    for number in range(7):
        engine.remember(f"Redis holds part{number}", diff=False)
    for number in range(30):
        engine.remember(f"filler{number}", diff=False)
    result = engine.remember("Redis is restarted", diff=False)
    assert result.edges_created["entity"] == 5
    sources = {old for old, new in edges(engine, "entity") if new == "Redis is restarted"}
    assert sources == {f"Redis holds part{number}" for number in range(2, 7)}
    # N = 38, df = 8: ln(38/8)/ln(38).
    weight = edges(engine, "entity")[("Redis holds part6", "Redis is restarted")]
    assert weight == pytest.approx(math.log(38 / 8) / math.log(38), abs=1e-6)


# -- CreateCausalEdges -> keywords + token overlap -> auto causal edges -------------------------------


@pytest.mark.parametrize(
    ("old", "new", "cause", "subtype"),
    [
        # "the text with the signal is the effect"
        ("queue filled disks", "restarted worker because queue filled", "old", "causes"),
        # "if only the old one has it, edge goes new -> old"
        ("restarted worker because queue filled", "queue filled disks", "new", "causes"),
        # "prevents > enables > causes"
        ("queue filled disks", "quota prevents queue filled because", "old", "prevents"),
        ("queue filled disks", "raised quota so that queue filled", "old", "enables"),
    ],
)
def test_causal_edges(old: str, new: str, cause: str, subtype: str) -> None:
    """Upstream notes 2.2, causal edges: direction, sub-type, overlap |a and b| / max(|a|, |b|) as weight."""
    engine = opened()
    engine.remember(old, diff=False)
    result = engine.remember(new, diff=False)
    assert result.edges_created["causal"] == 1
    (edge,) = engine.reader.edges(("causal",))
    ends = (engine.get(edge.source).content, engine.get(edge.target).content)
    assert ends == ((old, new) if cause == "old" else (new, old))
    assert edge.subtype == subtype


def test_causal_weight_by_hand() -> None:
    engine = opened()
    engine.remember("queue filled disks", diff=False)
    engine.remember("restarted worker because queue filled", diff=False)
    # {queue, fill, disk} and {restart, worker, queue, fill} ("because" is a stop word): 2 of at most 4.
    ((_, weight),) = edges(engine, "causal").items()
    assert weight == 0.5


@pytest.mark.parametrize(
    ("words", "linked"),
    [
        # 3 of 20 terms are 0.15, 3 of 21 are less: "overlap ... >= 0.15".
        (17, 1),
        (18, 0),
    ],
)
def test_causal_overlap_starts_at_fifteen_percent(words: int, linked: int) -> None:
    engine = opened()
    engine.remember("queue fills disks", diff=False)
    long = " ".join(f"part{number}" for number in range(words))
    result = engine.remember(f"{long} because queue fills disks", diff=False)
    assert result.edges_created["causal"] == linked


def test_causal_looks_at_the_ten_most_recent() -> None:
    engine = opened()
    engine.remember("queue filled disks", diff=False)
    for number in range(10):
        engine.remember(f"filler{number}", diff=False)
    assert engine.remember("restarted because queue filled", diff=False).edges_created["causal"] == 0


# -- CreateSemanticEdges -> cos >= 0.80 auto-link -----------------------------------------------------


@pytest.mark.parametrize(("percent", "linked"), [(80, 1), (79, 0)])
def test_semantic_edges_start_at_080(percent: int, linked: int) -> None:
    engine = opened(embedder=ExactEmbedder({"first note": PLACES, "second note": sharing(percent)}))
    engine.remember("first note", diff=False)
    assert engine.remember("second note", diff=False).edges_created["semantic"] == linked
    assert edges(engine, "semantic") == ({("first note", "second note"): 0.8} if linked else {})


def test_the_three_nearest_are_linked() -> None:
    """Upstream notes 2.2: "auto: cosine >= 0.80, top 3"."""
    texts = {f"note{n}": sharing(n, 100 * place + 100) for place, n in enumerate((82, 90, 85, 95))}
    engine = opened(embedder=ExactEmbedder({"the new": PLACES, **texts}))
    for text in texts:
        engine.remember(text, diff=False)
    engine.remember("the new", diff=False)
    found = {old: weight for (old, new), weight in edges(engine, "semantic").items() if new == "the new"}
    assert found == {"note95": 0.95, "note90": 0.9, "note85": 0.85}


# -- RefreshEffectiveImportance and AutoPrune ---------------------------------------------------------


@pytest.mark.parametrize(
    ("importance", "accesses", "days", "edge_count", "expected"),
    [
        # base{5:1.0, 4:.8, 3:.5, 2:.3, 1:.15}; ln(1+0) = 0, so the factor is max(1, 0) = 1.
        (5, 0, 0, 0, 1.0),
        (4, 0, 0, 0, 0.8),
        (3, 0, 0, 0, 0.5),
        (2, 0, 0, 0, 0.3),
        (1, 0, 0, 0, 0.15),
        # 0.5^(30/30) = 1/2
        (5, 0, 30, 0, 0.5),
        # ln(1+9) = ln 10
        (3, 9, 0, 0, 0.5 * math.log(10)),
        # 1 + 0.1 * min(edges, 5): three edges 1.3, nine edges 1.5
        (4, 0, 0, 3, 1.04),
        (4, 0, 60, 9, 0.8 * 0.25 * 1.5),
    ],
)
def test_effective_importance_by_hand(
    importance: int, accesses: int, days: float, edge_count: int, expected: float
) -> None:
    assert RefreshImportance().effective(importance, accesses, days, edge_count) == pytest.approx(expected)


def test_effective_importance_counts_the_new_edges() -> None:
    """ "RefreshEffectiveImportance -> update EI decay values", after the edges of step 3."""
    engine = opened()
    engine.remember("Alpha rains")
    result = engine.remember("Beta shines", importance=4)
    # One backbone edge: 0.8 * 1.1.
    assert result.edges_created == {"temporal": 1, "entity": 0, "causal": 0, "semantic": 0}
    assert result.effective_importance == 0.88


def test_importance_fades_from_the_last_access() -> None:
    """Upstream notes 2.2: "0.5^(days since access/30)"."""
    clock = FakeClock()
    engine = opened(clock)
    used = engine.remember("Alpha rains", source="a", importance=2)
    clock.pass_(days=60)
    engine.recall("Alpha")
    engine.remember("Beta shines", source="b", importance=2)
    clock.pass_(days=30)
    (found,) = [each for each in engine.retention.candidates() if each.memory.id == used.id]
    # 90 days old, used 30 days ago, once (ln 2 < 1): 0.3 * 1 * 1/2.
    assert found.days_since_access == 30
    assert found.effective_importance == pytest.approx(0.15)


def test_immunity() -> None:
    """Upstream notes 2.2: "Immune: importance >= 4 or access >= 3"."""
    immune = Prune().immune
    assert [immune(4, 0), immune(3, 3), immune(3, 2)] == [True, True, False]


def test_prune_above_the_limit_hides_the_least_important() -> None:
    """ "AutoPrune -> soft-delete lowest EI when total > 1000": hidden, never deleted, never the new one."""
    clock = FakeClock()
    engine = opened(clock)
    low = engine.remember("the least important of all", importance=1, source="a")
    kept = engine.remember("low but immune by access", importance=1, source="b")
    high = engine.remember("low but immune by importance", importance=4, source="c")
    engine.retention.keep(kept.id)
    clock.pass_(days=300)
    engine.remember_many([{"content": f"filler{n}", "importance": 2} for n in range(997)], diff=False)
    assert engine.store.status()["total_insights"] == 1000
    assert status_of(engine, low.id) == "active"
    result = engine.remember("the thousand and first", importance=1)
    assert result.auto_pruned == 1
    assert status_of(engine, low.id) == "forgotten"
    assert engine.get(low.id).content == "the least important of all"
    assert [status_of(engine, each.id) for each in (kept, high, result)] == ["active"] * 3
    assert engine.store.status()["total_insights"] == 1000
    assert engine.history(low.id)[-1].operation == "prune"
    engine.restore(low.id)
    assert status_of(engine, low.id) == "active"


def test_a_batch_prunes_as_much_as_its_items_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMBRAY_MAX_MEMORIES", "20")
    engine = opened()
    engine.remember_many([f"first{n}" for n in range(20)])
    engine.remember_many([f"second{n}" for n in range(15)])
    assert engine.store.status()["total_insights"] == 20
    assert all(status_of(engine, hit.memory.id) == "active" for hit in engine.recall("second3"))
    assert engine.store.status()["by_status"]["forgotten"] == 15


def test_what_a_write_replaces_is_not_pruned_by_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMBRAY_MAX_MEMORIES", "2")
    engine = opened()
    old = engine.remember("Chose SQLite as storage", importance=1)
    engine.remember("Alpha rains", importance=2)
    results = engine.remember_many(["Chose PostgreSQL to replace SQLite", "Beta shines"])
    assert results[0].replaced_id == old.id
    assert status_of(engine, old.id) == "superseded"
    assert engine.store.status()["total_insights"] == 2


def test_the_limit_can_be_switched_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """Upstream notes 2.1.2: "MNEMON_MAX_INSIGHTS (1000, 0 = no cap)"."""
    monkeypatch.setenv("COMBRAY_MAX_MEMORIES", "0")
    engine = opened()
    engine.remember_many([f"filler{n}" for n in range(1010)], diff=False)
    assert engine.remember("one more").auto_pruned == 0
    assert engine.store.status()["total_insights"] == 1011
