"""`ingest --scope`: the turns of a file, and the facts made of them, are in one scope of the namespace."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from shell import Shell

from combray.language.scopes import scope_set

TURNS = (
    {"author": "user", "text": "I prefer window seats on the train to Porto"},
    {"author": "user", "text": "The conference in Porto starts on 4 May"},
)


@pytest.fixture(params=["none", "wordllama"])
def shell(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    made = Shell(tmp_path, monkeypatch)
    monkeypatch.setenv("COMBRAY_EMBEDDER", request.param)
    monkeypatch.setenv("COMBRAY_PRESET", "mnemo")
    (tmp_path / "chat.jsonl").write_text("\n".join(map(json.dumps, TURNS)))
    return made


@pytest.mark.parametrize("name", ["user:ann", "scope:user:ann"])
def test_turns_and_facts_are_in_the_scope_alone(shell: Shell, name: str) -> None:
    path = str(shell.folder / "chat.jsonl")
    (report,) = shell.json("ingest", path, "--scope", name, "--extract", "rules")
    assert (report["turns"], report["saved"]) == (2, 1)
    listed = shell.json("list")["memories"]
    assert {scope_set(each["tags"]) for each in listed} == {("scope:user:ann",)}
    query = ("recall", "conference in Porto")
    assert shell.json(*query, "--tag", "scope:user:ann")["results"]
    assert shell.run(*query, "--tag", "scope:user:bob").exit_code == 1
    # Without a scope preset mnemo asks scope:global.
    assert shell.run(*query).exit_code == 1


def test_one_file_in_two_scopes_is_stored_twice_and_joined_by_nothing(shell: Shell) -> None:
    path = str(shell.folder / "chat.jsonl")
    shell.json("ingest", path, "--scope", "user:ann")
    shell.json("ingest", path, "--scope", "user:bob")
    assert shell.json("list")["total"] == 4
    found = [each for each in shell.json("doctor", "--embedder", "none") if each["name"] == "scopes"]
    assert [each["ok"] for each in found] == [True]


def test_what_is_no_scope_is_refused_before_anything_is_stored(shell: Shell) -> None:
    result = shell.run("ingest", str(shell.folder / "chat.jsonl"), "--scope", "everybody")
    assert result.exit_code == 2
    assert "'everybody' is not a scope." in result.stderr
    assert shell.run("list").exit_code == 1
