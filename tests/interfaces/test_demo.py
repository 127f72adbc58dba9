from __future__ import annotations

import json
import tempfile
from importlib.resources import files
from pathlib import Path

import pytest
from shell import Shell


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    return Shell(tmp_path, monkeypatch)


def test_the_demo_shows_all_it_promises_and_leaves_nothing(shell: Shell, tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    shell.monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    shell.monkeypatch.setenv("COLUMNS", "100")
    result = shell.run("demo", "--embedder", "wordllama")
    assert result.exit_code == 0
    assert "\x1b" not in result.stdout
    talk, written, why, unknown = result.stdout.split("──\n")[1:]
    assert "41 turns of 4 talks" in talk
    assert "kale" in talk
    assert [
        line.split()[0] for line in written.splitlines() if line[:8].strip() in {"added", "skipped", "replaced"}
    ] == [
        *["added"] * 4,
        "skipped",
        "replaced",
    ]
    assert "Kept as superseded" in written
    causes_then_effects = ["wrote at the same time", "bookings were lost on", "We chose PostgreSQL"]
    places = [why.index(words) for words in causes_then_effects]
    assert places == sorted(places)
    assert "OrderCauses" in why
    assert "Nothing found: " in unknown
    assert list(scratch.iterdir()) == []
    assert not (tmp_path / "default.db").exists()


def test_the_demo_works_without_an_embedder(shell: Shell) -> None:
    shown = shell.run("demo", "--embedder", "none")
    assert shown.exit_code == 0
    assert "skipped" in shown.stdout


def test_the_story_is_whole() -> None:
    story = json.loads(files("combray.interfaces.cli").joinpath("demo.json").read_text(encoding="utf-8"))
    assert sum(len(session["turns"]) for session in story["sessions"]) == 41
    assert story["duplicate"] in [text for text, *_ in story["facts"]]
