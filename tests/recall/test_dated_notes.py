"""A note that was stored with its day answers when it happened, though its text does not say so."""

from __future__ import annotations

from pathlib import Path

import pytest

import combray
from combray import presets
from combray.testing.fakes import FakeClock

EMBEDDERS = ["none", "wordllama"]
DATED = {
    "when was the boiler checked": "The boiler was checked by Dana",
    "wann haben wir den Vertrag unterschrieben": "Wir haben den Vertrag unterschrieben",
    "锅炉什么时候检查的": "锅炉由李娜检查",
    "Bà ngoại chuyển nhà khi nào": "Bà ngoại chuyển nhà",
}
OTHERS = (
    "Maria bakes sourdough bread.",
    "Tom is allergic to peanuts and shellfish.",
    "The router password is under the blue vase.",
    "The violin lesson costs forty euros.",
)


def filled(preset: str, embedder: str, day: str | None) -> combray.Engine:
    engine = combray.open(":memory:", preset=preset, embedder=embedder, clock=FakeClock(), worker=False)
    for text in OTHERS:
        engine.remember(text, diff=False)
    for text in (*DATED.values(), "Hearing of the neighbour in courtroom 6"):
        engine.remember(text, occurred_at=day, diff=False)
    if engine.vectors.pending():
        engine.vectors.make()
    return engine


@pytest.mark.parametrize("preset", presets.names())
@pytest.mark.parametrize("embedder", EMBEDDERS)
def test_a_stated_day_answers_when(preset: str, embedder: str) -> None:
    """Mnemon: "WHEN | `when`, `time`, … `什么时候`"; import with historical dates (SEEDS)."""
    engine = filled(preset, embedder, "2023-11-27")
    for question, text in DATED.items():
        answer = engine.recall(question)
        assert answer, f"{question}: {answer.reason}"
        assert answer[0].memory.content == text


def test_a_file_named_after_a_day_answers_when(tmp_path: Path) -> None:
    """OpenClaw: "Date in filename -- ``memory/2025-11-27.md`` -> Nov 27, 2025"."""
    (tmp_path / "memory").mkdir()
    (tmp_path / "MEMORY.md").write_text("# About\nThe office is in Hamburg.\n", encoding="utf-8")
    note = tmp_path / "memory" / "2025-11-27.md"
    note.write_text("The boiler in the cellar was checked by Dana.\n", encoding="utf-8")
    engine = combray.open(":memory:", preset="openclaw", embedder="none")
    engine.documents.index(tmp_path)
    found = engine.documents.search("when was the boiler checked")
    assert [passage.path for passage in found] == ["memory/2025-11-27.md"]
