"""The goal of bench/results/evidence.md: 80 % of forty questions without an answer are left empty.

The bounds are those of one stage, which the five presets share: one preset stands for them.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import bench
from bench.presets.__main__ import HALVES, row

SET = Path(bench.__file__).parent / "precision" / "sets" / "two-hundred.json"


@pytest.mark.parametrize(("embedder", "recall"), [("none", 45), ("wordllama", 58)])
def test_of_the_questions_without_an_answer_four_fifths_are_left_empty(embedder: str, recall: int) -> None:
    measured = row(json.loads(SET.read_text(encoding="utf-8")), "semantic-facts", embedder, HALVES["all"])
    assert int(measured[2]) >= 80
    assert int(measured[-1]) >= recall
