"""Facts that were stored directly: one value in place of another, and what is none."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

import combray

EMBEDDERS = ("none", "wordllama")


def statuses(embedder: str, *told: tuple[str, str], undo: bool = False) -> list[str]:
    """Remember each text on its day, consolidate once, and return what became of them."""
    clock = datetime(2026, 3, 1, tzinfo=UTC).timestamp
    with combray.open(":memory:", embedder=embedder, worker=False, clock=clock) as engine:
        ids = [engine.remember(text, occurred_at=day, diff=False).id for text, day in told]
        report = engine.consolidation.run()
        if undo:
            engine.consolidation.undo(report.run_id)
        return [engine.get(each).status for each in ids]


@pytest.mark.parametrize("embedder", EMBEDDERS)
def test_another_place_for_the_same_is_a_later_value_however_near_the_vectors_are(embedder: str) -> None:
    told = (("Ana lives in Berlin", "2026-02-01"), ("Ana lives in Lisbon", "2026-02-20"))
    assert statuses(embedder, *told) == ["superseded", "active"]
    assert statuses(embedder, *told, undo=True) == ["active", "active"]


@pytest.mark.parametrize("embedder", EMBEDDERS)
def test_a_chain_of_three_is_settled_in_one_run(embedder: str) -> None:
    told = (
        ("The user lives in Berlin", "2026-02-01"),
        ("The user lives in Lisbon", "2026-02-10"),
        ("The user lives in Oslo", "2026-02-20"),
    )
    assert statuses(embedder, *told) == ["superseded", "superseded", "active"]


@pytest.mark.parametrize("embedder", EMBEDDERS)
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ana lives in Berlin", "Ben lives in Lisbon"),
        ("Ana lives in Berlin", "Ben lives in Berlin"),
        ("Ana lives in Berlin", "Ana moved to Lisbon"),
        ("Ana lives in Berlin", "Ana used to live in Lisbon"),
        ("Ana lives in Berlin", "Ana might move to Lisbon"),
        ("Ana lives in Berlin", "Ana does not live in Lisbon"),
        ("He lives in Berlin", "He moved to Lisbon"),
        ("Ana speaks Danish", "Ana speaks Dutch"),
    ],
)
def test_other_subjects_the_past_and_plural_attributes_stay(one: str, other: str, embedder: str) -> None:
    assert statuses(embedder, (one, "2026-02-01"), (other, "2026-02-20")) == ["active", "active"]
