"""`index --scope`: the chunks of a folder are in one scope of the namespace."""

from __future__ import annotations

from pathlib import Path

import pytest
from shell import Shell


@pytest.fixture(params=["none", "wordllama"])
def shell(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    made = Shell(tmp_path, monkeypatch)
    monkeypatch.setenv("COMBRAY_EMBEDDER", request.param)
    for name, code in (("ann", "4711"), ("bob", "9020")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "notes.md").write_text(f"The gate code of the depot is {code}.\n")
        made.json("index", str(tmp_path / name), "--scope", f"user:{name}")
    return made


def test_a_search_in_a_scope_finds_its_folders_alone(shell: Shell) -> None:
    found = shell.json("memory-search", "gate code of the depot", "--scope", "user:ann")
    assert [each["snippet"].strip() for each in found["results"]] == ["The gate code of the depot is 4711."]
    shown = shell.run("recall", "gate code of the depot", "--tag", "scope:user:bob").stdout
    assert "9020" in shown
    assert "4711" not in shown


def test_a_wrong_scope_is_bad_usage(shell: Shell) -> None:
    result = shell.run("index", str(shell.folder / "ann"), "--scope", "Ann Smith")
    assert result.exit_code == 2
    assert "is not a scope" in result.output
