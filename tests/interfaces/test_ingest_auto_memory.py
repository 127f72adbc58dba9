"""`combray ingest --extract`, and the setting `extract`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from shell import Shell


@pytest.mark.parametrize("embedder", ["none", "wordllama"])
def test_the_setting_decides_where_the_option_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, embedder: str
) -> None:
    """Engram: "Detected messages are automatically stored": here with the setting, or with --extract."""
    (tmp_path / "home").mkdir()
    shell = Shell(tmp_path / "home", monkeypatch)
    monkeypatch.setenv("COMBRAY_EMBEDDER", embedder)
    monkeypatch.setenv("COMBRAY_PRESET", "engram")
    chat = tmp_path / "chat.jsonl"
    chat.write_text(json.dumps({"author": "user", "text": "We decided to use Kafka", "session": "s"}))

    def saved(name: str, *options: str) -> int:
        return int(shell.json("ingest", str(chat), "--store", name, *options)[0]["saved"])

    assert (saved("a"), saved("b", "--extract", "rules")) == (0, 1)
    monkeypatch.setenv("COMBRAY_EXTRACT", "rules")
    assert (saved("c"), saved("d", "--extract", "off")) == (1, 0)
