"""Preset openclaw: the order of its stages, and what it searches without vectors."""

from __future__ import annotations

from pathlib import Path

import pytest
from exact import PLACES, ExactEmbedder, opened

import combray
from combray import presets
from combray.testing.fakes import FakeClock

TEXT = "ripe pears fall"


def test_the_seven_stages_stand_in_the_pages_order() -> None:
    """ "[1] Query Expansion [2] Parallel Search [3] Hybrid Merge [4] Temporal Decay [5] MMR [6] Score …"."""
    named = [each["stage"] for each in presets.load("openclaw").recall.describe()]
    stages = [
        "ExtractKeywords", "SearchHybrid", "MergeHybrid", "FileAgeDecay", "MMR", "Threshold", "Cut",
    ]  # fmt: skip
    assert [name for name in named if name in stages] == stages


@pytest.mark.parametrize("embedder", ["wordllama", "none"])
def test_without_a_provider_chunks_of_any_model_are_found(embedder: str, tmp_path: Path) -> None:
    """ "In FTS-only mode (no provider), the model filter is removed so chunks from any model are searchable"."""
    with combray.open(tmp_path / "s.db", preset="openclaw", embedder=embedder) as engine:
        engine.remember(TEXT)
    with combray.open(tmp_path / "s.db", preset="openclaw", embedder="none") as engine:
        found = engine.recall("which pears are ripe?")
    assert [hit.memory.content for hit in found] == [TEXT]
    assert found.reason.startswith("keyword only")


def test_a_query_without_a_vector_is_searched_by_words() -> None:
    """ "queryVec.some(v => v !== 0) ? await this.searchVector(queryVec, candidates) : []".

    The best keyword hit has 1, as without a provider: 0.3 · 1 would be below the page's own threshold.
    """
    engine = opened(FakeClock(), ExactEmbedder({TEXT: PLACES}), "openclaw")
    engine.remember(TEXT)
    (hit,) = engine.recall("ripe pears")
    assert (hit.memory.content, hit.score, dict(hit.signals)) == (TEXT, 1.0, {"text": 1.0})
