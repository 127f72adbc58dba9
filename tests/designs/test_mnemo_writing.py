"""Golden runs of preset mnemo's writing: what is skipped, supersedes and is linked, and that all is kept."""

from __future__ import annotations

from exact import PLACES, ExactEmbedder, edges, opened, sharing, status_of

from combray import Engine, presets
from combray.pipeline import Transaction, stage_name
from combray.runtime import Embedder
from combray.testing.fakes import FakeClock

MNEMO = presets.load("mnemo")


def mnemo(clock: FakeClock | None = None, embedder: str | Embedder = "none") -> Engine:
    return opened(clock or FakeClock(), embedder, "mnemo")


def test_near_duplicates_are_kept_and_only_a_new_value_supersedes() -> None:
    """Notes 3.2: "near-duplicate cosine > 0.92 … update existing"; SEEDS: "never delete on similarity"."""
    one, two = "Alice likes her coffee strong and black", "Alice likes her coffee black and very strong"
    engine = mnemo(embedder=ExactEmbedder({one: PLACES, two: sharing(97)}))
    first = engine.remember(one)
    assert engine.remember(two).action == "added"
    assert status_of(engine, first.id) == "active"
    assert engine.remember("alice likes her coffee strong and black.").action == "skipped"
    plan = engine.remember("The team review is on Friday at 16:30.")
    moved = engine.remember("The team review moved from Friday to Tuesday at 16:30.")
    assert (moved.action, moved.replaced_id) == ("replaced", plan.id)
    assert status_of(engine, plan.id) == "superseded"


def test_nothing_is_ever_pruned_or_erased_by_writing() -> None:
    clock = FakeClock()
    engine = mnemo(clock)
    made = [engine.remember(f"note{n} about pears", diff=False).id for n in range(5)]
    clock.pass_(days=2000)
    engine.remember("a new one", diff=False)
    assert [status_of(engine, each) for each in made] == ["active"] * 5
    assert {engine.get(each).tier for each in made} == {"peripheral"}
    inner = [
        stage_name(each) for stage in MNEMO.remember if isinstance(stage, Transaction) for each in stage.stages
    ]
    assert inner == ["Settle", "TakeSurvey", "MoveTiers", "Write", "LinkTemporal", "LinkEntities", "LinkCausal",
                     "LinkSemantic"]  # fmt: skip


def test_memories_that_name_the_same_are_linked_for_the_graph_path() -> None:
    engine = mnemo()
    engine.remember("We moved the index to Qdrant")
    engine.remember("The server of Qdrant was full")
    assert edges(engine, "entity") == {("We moved the index to Qdrant", "The server of Qdrant was full"): 1.0}
