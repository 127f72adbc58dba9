"""Preset semantic-facts: "Rule-Based Auto-Merge (No LLM)"."""

from __future__ import annotations

import pytest

import combray
from combray.testing.fakes import START, FakeClock


@pytest.mark.parametrize("embedder", ["none", "wordllama"])
@pytest.mark.parametrize(
    ("one", "other", "merged"),
    [
        ("The user drinks coffee daily", "The user still drinks coffee daily", True),
        ("The user drinks coffee daily", "The user still does not drink coffee daily", False),
        ("The user drinks coffee daily", "The user still drinks tea daily", False),
    ],
)
def test_still_so_is_so(one: str, other: str, merged: bool, embedder: str) -> None:
    """ "User likes coffee", "User drinks coffee daily": "still" adds nothing, "not" does."""
    with combray.open(
        ":memory:", preset="semantic-facts", embedder=embedder, worker=False, clock=FakeClock()
    ) as engine:
        ids = [engine.remember(text, confidence=0.8).id for text in (one, other)]
        if embedder != "none":
            engine.vectors.make()
        engine.consolidation.run()
        statuses = [engine.get(each).status for each in ids]
        assert (statuses.count("merged") == 1) is merged
        if merged:
            loser, winner = sorted((engine.get(each) for each in ids), key=lambda each: each.status != "merged")
            assert loser.merged_into == winner.id
            # "loser.archived_at = now()"
            assert loser.metadata["archived_at"] == START.isoformat()
            engine.restore(loser.id)
            assert "archived_at" not in engine.get(loser.id).metadata
