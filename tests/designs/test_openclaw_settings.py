"""The constants of OpenClaw's page as settings, one by one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from exact import PLACES, ExactEmbedder, opened, sharing

import combray
from combray import InvalidInputError
from combray.testing.fakes import FakeClock

QUERY = "ripe pears"
PLACED = {"ripe pears fall": sharing(60, 100), "sweet fruit drops": sharing(80, 200)}


def scores(**settings: Any) -> dict[str, float | str]:
    """Scores of the two texts, the settings given in the environment."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in settings.items():
            patch.setenv(f"COMBRAY_{name.upper()}", str(value))
        engine = opened(FakeClock(), ExactEmbedder({QUERY: PLACES, **PLACED}), "openclaw")
    engine.remember_many([{"content": text, "occurred_at": "2024-04-21T12:00Z"} for text in PLACED], diff=False)
    answer = engine.recall(QUERY)
    return {hit.memory.content: round(hit.score, 4) for hit in answer} | {"why": answer.reason}


def test_the_weights_are_settings() -> None:
    """ "score = vectorWeight * vectorScore + textWeight * textScore", "normalized so they always sum to 1.0".

    .5 · .6 + .5 · 1 = .8 and .5 · .8 = .4; the defaults give .7 · .6 + .3 = .72 and .56.
    """
    assert {**scores(), "why": ""} == {"ripe pears fall": 0.72, "sweet fruit drops": 0.56, "why": ""}
    assert {**scores(vector_weight=1, text_weight=1), "why": ""} == {
        "ripe pears fall": 0.8, "sweet fruit drops": 0.4, "why": "",
    }  # fmt: skip


def test_hybrid_off_is_vectors_alone() -> None:
    """ "if (!hybrid.enabled) return vectorResults.filter(e => e.score >= minScore)": the cosines themselves."""
    assert scores(hybrid=0) == {
        "sweet fruit drops": 0.8, "ripe pears fall": 0.6, "why": "vector only: exact:1000",
    }  # fmt: skip


def test_without_vectors_hybrid_off_still_searches_by_words() -> None:
    """ "FTS-only mode" comes before the question whether hybrid is on."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COMBRAY_HYBRID", "0")
        engine = opened(FakeClock(), "none", "openclaw")
    engine.remember("ripe pears fall")
    assert [hit.memory.content for hit in engine.recall(QUERY)] == ["ripe pears fall"]


def test_the_half_life_is_a_setting() -> None:
    """START is 1 May, so both are ten days old: half of .72 and of .56 at a half-life of ten days.

    "After all scoring adjustments, results with score < minScore are filtered out": .28 is below .35.
    """
    assert {**scores(decay=1, half_life_days=10), "why": ""} == {"ripe pears fall": 0.36, "why": ""}


def test_the_multiplier_is_a_setting() -> None:
    """ "candidateMultiplier (default 4) controls how many candidates each search arm fetches", at most 200."""
    pools = {}
    for value in (1, 2, 4, 20):
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("COMBRAY_CANDIDATE_MULTIPLIER", str(value))
            stages = opened(FakeClock(), "none", "openclaw")._at.preset.recall.describe()
        pools[value] = next(each["settings"]["pool"] for each in stages if each["stage"] == "SearchHybrid")
    assert pools == {1: 50, 2: 100, 4: 200, 20: 200}


def test_lambda_is_a_setting() -> None:
    """The example of `test_mmr_by_hand`: at lambda .3 the near-duplicate goes last."""
    texts = ["ripe pears fall", "ripe pears fall down", "ripe pears sell well"]
    places = dict(zip(texts, (sharing(90, 100), sharing(85, 200), sharing(70, 300)), strict=True))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COMBRAY_MMR", "1")
        patch.setenv("COMBRAY_MMR_LAMBDA", "0.3")
        engine = opened(FakeClock(), ExactEmbedder({QUERY: PLACES, **places}), "openclaw")
    engine.remember_many(texts, diff=False)
    assert [texts.index(hit.memory.content) for hit in engine.recall(QUERY)] == [0, 2, 1]


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"mmr_lambda": 1.5}, r"mmr_lambda: 1\.5 is out of range\. Use 0 to 1\."),
        ({"vector_weight": 0, "text_weight": 0}, "both 0"),
        ({"half_life_days": 0}, "half_life_days: 0.0 is out of range"),
        ({"candidate_multiplier": 0}, "candidate_multiplier: 0 is out of range"),
        ({"chunk_tokens": 50, "chunk_overlap": 50}, "chunk_overlap: 50 is not below chunk_tokens, 50"),
    ],
)
def test_what_is_out_of_range_is_refused(settings: dict[str, Any], problem: str) -> None:
    with pytest.raises(InvalidInputError, match=problem):
        scores(**settings)


# -- files ---------------------------------------------------------------------------------------------


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    (folder / "memory").mkdir(parents=True)
    lines = [f"Line {number} of the log is about pears" for number in range(1, 41)]
    (folder / "MEMORY.md").write_text("# Garden\n\nThe quince is pruned in March.\n", encoding="utf-8")
    (folder / "memory" / "log.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


@pytest.mark.parametrize("embedder", ["none", "wordllama"])
def test_the_size_of_chunks_is_a_setting(notes: Path, monkeypatch: pytest.MonkeyPatch, embedder: str) -> None:
    """ "Chunk tokens 400", "Chunk overlap 80": forty lines of 36 letters are one chunk, and four of ten lines.

    100 tokens are 400 letters: ten lines of 37 or fewer letters with their ends; without overlap none repeats.
    """
    for tokens, overlap, chunks in ((400, 80, 1), (100, 0, 4)):
        monkeypatch.setenv("COMBRAY_CHUNK_TOKENS", str(tokens))
        monkeypatch.setenv("COMBRAY_CHUNK_OVERLAP", str(overlap))
        with combray.open(":memory:", embedder=embedder) as engine:
            assert engine.documents.index(notes).chunks == 1 + chunks
