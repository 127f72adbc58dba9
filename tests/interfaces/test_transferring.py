from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import pytest
from shell import Shell

from combray.engine.store import OpenStore


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    return Shell(tmp_path, monkeypatch)


def test_export_and_import_give_the_same_bytes_again(shell: Shell, tmp_path: Path) -> None:
    first = shell.remember("The lock failed", "--occurred-at", "2026-03-01")
    shell.json("link", first, shell.remember("Bookings vanished – größer"), "--type", "causal")
    shell.json("forget", first)
    out = tmp_path / "memories.jsonl"
    assert shell.json("export", str(out))["memories"] == 2
    assert not list(tmp_path.glob("*.part"))
    report = shell.json("import", str(out), "--store", "copy")
    assert (report["memories"], report["problems"]) == (2, [])
    assert shell.run("export", "--store", "copy").stdout_bytes == out.read_bytes()
    again = shell.json("import", "-", "--store", "third", stdin=out.read_bytes())
    assert again["memories"] == 2


def test_a_failed_export_spoils_no_older_file(shell: Shell, tmp_path: Path) -> None:
    out = tmp_path / "memories.jsonl"
    out.write_text("precious")
    shell.remember("tea at four", "--store", "real")
    assert shell.run("export", str(out), "--store", "missing").exit_code == 1
    assert out.read_text() == "precious"


def test_a_dry_run_writes_nothing_and_makes_no_store(shell: Shell, tmp_path: Path) -> None:
    items = tmp_path / "items.jsonl"
    items.write_text('{"content": "tea at four", "occurred_at": "2020-01-01"}\n')
    report = shell.json("import", str(items), "--dry-run", "--store", "new")
    assert (report["dry_run"], report["memories"]) == (True, 1)
    assert not (tmp_path / "new.db").exists()
    assert shell.json("import", str(items), "--store", "new")["memories"] == 1
    assert shell.json("recall", "tea", "--store", "new")["results"][0]["insight"]["occurred_at"].startswith(
        "2020"
    )


def test_a_bad_line_refuses_the_file_and_a_dry_run_lists_all(shell: Shell, tmp_path: Path) -> None:
    items = tmp_path / "items.jsonl"
    items.write_text('{"content": "good"}\nnot json\n{"content": ""}\n')
    listed = shell.run("import", str(items), "--dry-run")
    assert listed.exit_code == 1
    problems = json.loads(listed.stdout)["problems"]
    assert [problem.split(":")[0] for problem in problems] == ["line 2", "line 3"]
    refused = shell.run("import", str(items))
    assert refused.exit_code == 1
    assert "line 2" in refused.stderr
    assert shell.json("status")["total_insights"] == 0
    taken = shell.run("import", str(items), "--skip-bad")
    assert taken.exit_code == 1
    assert json.loads(taken.stdout)["memories"] == 1


def test_ingest_stores_turns_with_author_time_and_order(shell: Shell, tmp_path: Path) -> None:
    turns = tmp_path / "talk.jsonl"
    said = [
        {
            "author": "Mei",
            "text": "I am off to Lisbon",
            "session": "s1",
            "occurred_at": "2026-03-11T09:00:00Z",
        },
        {"author": "Ada", "text": "Take an umbrella", "session": "s1", "occurred_at": "2026-03-11T09:01:00Z"},
    ]
    turns.write_text("".join(json.dumps(turn) + "\n" for turn in said))
    report = shell.json("ingest", str(turns))
    assert [(each["turns"], each["memories"], each["namespaces"]) for each in report] == [(2, 2, ["default"])]
    found = shell.json("recall", "umbrella", "--verbose", "-k", "1")["results"][0]["insight"]
    assert (found["author"], found["session"], found["position"], found["kind"]) == (
        "Ada",
        "s1",
        1,
        "episode",
    )
    assert "2 turns" in shell.in_terminal("ingest", str(turns), width=200)


@pytest.mark.parametrize("verb", ["import", "ingest"])
def test_a_missing_file_is_bad_usage(shell: Shell, verb: str) -> None:
    result = shell.run(verb, "no-such-file.jsonl")
    assert result.exit_code == 2
    assert "no-such-file.jsonl" in result.stderr


def test_memories_given_to_ingest_are_refused_with_the_right_verb(shell: Shell, tmp_path: Path) -> None:
    shell.remember("tea at four")
    out = tmp_path / "memories.jsonl"
    shell.json("export", str(out))
    result = shell.run("ingest", str(out))
    assert result.exit_code == 1
    assert "combray import" in result.stderr


def test_a_text_with_any_separator_is_exported_to_other_formats(shell: Shell, tmp_path: Path) -> None:
    shell.remember("A poem of Ann\u2028and its second line\u0085and a third")
    shell.remember("Tea at four")
    assert shell.json("export", str(tmp_path / "out"), "--format", "okf")["memories"] == 2


def test_a_graph_that_is_not_utf8_is_refused_in_one_sentence(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "g.jsonl").write_bytes('{"type": "entity", "name": "Zoë"}'.encode("latin-1"))
    done = shell.run("import", str(tmp_path / "g.jsonl"), "--format", "server-memory")
    assert done.exit_code == 2
    assert "is not UTF-8 text" in done.stderr


def test_an_export_that_does_not_fit_names_its_file(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    shell.remember("Ana drinks tea.")
    monkeypatch.setattr(OpenStore, "export_to", full)
    path = tmp_path / "out.jsonl"
    result = shell.run("export", str(path))
    assert result.exit_code == 1
    assert f"{path}: {os.strerror(errno.ENOSPC)}. Free some space." in " ".join(result.stderr.split())
    assert not list(tmp_path.glob("out*"))
