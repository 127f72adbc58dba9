"""`combray index` and `combray watch`."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest
from shell import Shell


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    (tmp_path / "home").mkdir()
    return Shell(tmp_path / "home", monkeypatch)


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text("Herons nest here.\n")
    return tmp_path / "notes"


def test_index_prints_what_it_did(shell: Shell, notes: Path) -> None:
    (notes / "bad.md").write_bytes(b"\xff")
    first = shell.json("index", str(notes))
    assert (first["files"], first["added"], first["chunks"]) == (1, 1, 1)
    assert first["skipped"] == [{"path": "bad.md", "reason": "not UTF-8 text (byte 0); convert it with iconv"}]
    shown = shell.in_terminal("index", str(notes), width=120)
    assert shown.startswith("1 file, 1 chunk: nothing changed, in ")
    assert "skipped bad.md: not UTF-8 text" in shown


def test_indexed_notes_are_recalled_and_let_go(shell: Shell, notes: Path) -> None:
    shell.json("index", str(notes))
    assert "Herons nest here." in shell.run("recall", "where do herons nest").stdout
    assert shell.json("index", str(notes), "--remove")["chunks"] == 1
    assert shell.run("recall", "where do herons nest").exit_code == 1
    assert shell.run("index", str(notes), "--remove").exit_code == 1
    assert shell.run("index", str(notes), "--remove", "--rebuild").exit_code == 2


def test_extra_files_transcripts_and_redaction_are_options(shell: Shell, notes: Path, tmp_path: Path) -> None:
    (tmp_path / "x.md").write_text("PASSWORD=hunter2x for the swans\n")
    (tmp_path / "s.jsonl").write_text(json.dumps({"role": "user", "content": "Where are the swans?"}))
    options = ("--extra", str(tmp_path / "x.md"), "--sessions", str(tmp_path / "s.jsonl"), "--redact")
    assert shell.json("index", str(notes), *options)["files"] == 3
    assert "[redacted password]" in shell.run("recall", "swans").stdout


def test_lines_of_an_indexed_file_are_shown(shell: Shell, notes: Path) -> None:
    (notes / "long.md").write_text("\n".join(f"line {number}" for number in range(1, 20)))
    shell.json("index", str(notes))
    assert shell.json("get", "long.md#L2-L3")["text"] == "line 2\nline 3"
    assert shell.json("get", "long.md#L19")["text"] == "line 19"
    assert shell.json("get", "long.md")["totalLines"] == 19
    assert shell.in_terminal("get", "long.md#L2-L3") == "line 2\nline 3\nMore: combray get long.md#L4\n"
    assert shell.run("get", "missing.md").exit_code == 1
    assert shell.run("get", "../a.md").exit_code == 1
    assert shell.run("get", "long.md#L5-L2").exit_code == 1


def test_what_is_no_folder_is_bad_usage(shell: Shell, notes: Path) -> None:
    assert shell.run("index", str(notes / "missing")).exit_code == 2
    assert shell.run("index", str(notes / "a.md")).exit_code == 2
    assert shell.run("index", str(notes), "--extra", str(notes.parent / "missing.md")).exit_code == 2


def test_watch_prints_a_report_a_change_until_it_is_interrupted(shell: Shell, notes: Path) -> None:
    child = subprocess.Popen(
        shell.command("watch", str(notes)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert child.stdout is not None
        assert _report(child)["added"] == 1
        # In one step: a file that is made and then filled may be two changes.
        (notes / "b.part").write_text("Ospreys.\n")
        (notes / "b.part").rename(notes / "b.md")
        assert _report(child)["added"] == 1
        os.kill(child.pid, signal.SIGINT)
        assert child.wait(90) == 130
    finally:
        child.kill()
        child.communicate()


def _report(child: subprocess.Popen[str]) -> dict[str, int]:
    assert child.stdout is not None
    lines: list[str] = []
    while not lines or lines[-1] != "}\n":
        lines.append(child.stdout.readline())
        assert lines[-1], "it ended"
    found: dict[str, int] = json.loads("".join(lines))
    return found
