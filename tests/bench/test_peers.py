"""The table of the front page says what was measured, and what was not stays empty."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bench.peers import front


def test_the_table_holds_the_largest_size_and_leaves_out_who_failed() -> None:
    found: list[dict[str, Any]] = [
        {"peer": "combray", "size": 1000, "adds": 1500.4, "single": 5.04, "p50": 4.26},
        {"peer": "combray", "size": 10, "adds": 1.0, "single": 1.0, "p50": 1.0},
        {"peer": "mem0", "problem": "it did not install"},
    ]
    lines = front.table(found, 1000, "abc1234").splitlines()
    assert (
        lines[0]
        == "| 1,000 texts, same vectors | recall@10, held out | adds/s in batches | one add, ms | search, ms |"
    )
    assert lines[2] == "| **Combray** | **82.3** | 1,500 | 5 | 4.3 |"
    assert "| mem0, `infer=False` | 44.5 |  |  |  |" in lines
    assert lines[-1].endswith("at abc1234, two cores.")


def test_only_what_stands_between_the_marks_is_written(tmp_path: Path) -> None:
    page = tmp_path / "README.md"
    page.write_text("before\n<!-- figures: bench.peers -->\nold\n<!-- end of figures -->\nafter\n")
    front.write([], 10, page)
    before, *table, after = page.read_text().splitlines()
    assert (before, after) == ("before", "after")
    assert "old" not in table
    assert any(line.startswith("| Chroma |") for line in table)
