"""Notes that announce a change are counted as their labels say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.truth import announcements

NOTES = (
    ("change", "We move to Oslo on 3 June.", "2025-06-03"),
    ("change", "Something is different then.", "2025-06-03"),
    ("postponed", "The move is pushed to 10 June.", "2025-06-10"),
    ("cancelled", "The move is called off.", None),
    ("cancelled", "We like Oslo.", None),
    ("event", "My birthday is on 3 June.", None),
    ("habit", "Rent is due on the 1st of each month.", None),
)


def test_each_kind_is_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "notes.jsonl"
    lines = [
        {"id": f"a-{n}", "lang": "en", "said": "2025-05-14", "text": text, "kind": kind, "from": day}
        for n, (kind, text, day) in enumerate(NOTES)
    ]
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    assert announcements.main([str(path), "--wrong"]) == 0
    shown = capsys.readouterr().out
    rows = [
        [cell.strip() for cell in line.split("│")[1:-1]] for line in shown.splitlines() if line.startswith("│")
    ]
    counted = ["1 of 2", "1 of 1", "1 of 2", "1 of 1", "1 of 1"]
    assert rows == [[kind, right, right] for kind, right in zip(announcements.KINDS, counted, strict=True)]
    assert [line.split()[0] for line in shown.splitlines() if line.startswith("a-")] == ["a-1", "a-4"]


def test_a_file_that_is_missing_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert announcements.main([str(tmp_path / "none.jsonl")]) == 2
    assert "none.jsonl" in capsys.readouterr().err
