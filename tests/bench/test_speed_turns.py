"""The bench of turns of conversations: both sides are measured in processes of their own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.speed import turns


def _data(folder: Path) -> Path:
    said = [{"speaker": "Ann", "text": f"I bought {n} apples at the market."} for n in range(600)]
    conversation = {"session_1": said, "session_1_date_time": "1:00 pm on 8 May, 2023"}
    questions = [{"question": f"Who bought {n} apples?"} for n in range(60)]
    (folder / "locomo").mkdir()
    file = folder / "locomo" / "conversations-1-5.json"
    file.write_text(json.dumps([{"conversation": conversation, "qa": questions}]), encoding="utf-8")
    return folder


def test_every_figure_of_both_sides_is_shown_with_their_ratio(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    options = ["--data", str(_data(tmp_path)), "--embedder", "none", "--runs", "1", "--without", "ShowLater"]
    assert turns.main(options) == 0
    lines = [line.split() for line in capfd.readouterr().out.splitlines()]
    assert lines[0] == ["this", "without", "ratio"]
    assert [" ".join(line[:-3]) for line in lines[1:]] == list(turns._MEASURES)
    for *_, this, other, ratio in lines[1:]:
        assert float(this) > 0
        assert float(other) > 0
        # The figures are shown with one decimal, their ratio with two: of a millisecond that is a lot.
        least, most = (float(this) - 0.05) / (float(other) + 0.05), (float(this) + 0.05) / (float(other) - 0.05)
        assert least - 0.006 <= float(ratio) <= most + 0.006


def test_a_stage_that_the_preset_lacks_is_named(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    options = ["--data", str(_data(tmp_path)), "--embedder", "none", "--runs", "1", "--without", "Rewind"]
    assert turns.main(options) == 1
    assert "has no stage 'Rewind'" in capfd.readouterr().err


def test_a_folder_without_conversations_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert turns.main(["--data", str(tmp_path), "--without", "ShowLater"]) == 2
    assert "--data" in capsys.readouterr().err
