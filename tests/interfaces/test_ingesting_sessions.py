"""`combray ingest` of session files: a client's own folder, a dry run, what is shown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from shell import Shell

LINE = {
    "type": "user",
    "uuid": "u1",
    "sessionId": "s1",
    "timestamp": "2026-08-10T12:00:00Z",
    "message": {"role": "user", "content": "Atlas ships in June."},
}


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    monkeypatch.delenv("CODEX_HOME", raising=False)
    return Shell(tmp_path / "data", monkeypatch)


@pytest.fixture
def sessions(tmp_path: Path) -> Path:
    folder = tmp_path / "home/.claude/projects/-x"
    folder.mkdir(parents=True)
    (folder / "s1.jsonl").write_text(json.dumps(LINE) + "\n")
    (folder / "notes.jsonl").write_text("{}\n")
    return folder


def test_a_dry_run_needs_no_store_and_stores_nothing(shell: Shell, sessions: Path) -> None:
    shown = shell.in_terminal("ingest", "--from", "claude-code", "--dry-run", width=200)
    assert "1 turn of 1 conversation in 2 files, 2026-08-10 12:00 to 2026-08-10 12:00: would store 1" in shown
    assert "notes.jsonl: has no messages in a known format." in shown
    assert not list(shell.folder.glob("*.db"))


def test_the_sessions_of_a_client_are_stored_once(shell: Shell, sessions: Path) -> None:
    (row,) = shell.json("ingest", "--from", "claude-code")
    assert (row["turns"], row["known"], row["memories"], row["dry_run"]) == (1, 0, 1, False)
    (again,) = shell.json("ingest", "--from", "claude-code", str(sessions))[:1]
    assert (again["known"], again["memories"]) == (1, 0)
    (hit,) = shell.json("list")["memories"]
    assert hit["content"] == "Atlas ships in June."


def test_a_client_without_sessions_and_no_path_are_bad_usage(shell: Shell, sessions: Path) -> None:
    missing = shell.run("ingest", "--from", "codex")
    assert missing.exit_code == 2
    assert "codex has no sessions here" in missing.stderr
    nothing = shell.run("ingest")
    assert nothing.exit_code == 2
    assert "--from" in nothing.stderr
