from __future__ import annotations

from pathlib import Path

import pytest
from shell import Shell


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    return Shell(tmp_path / "home", monkeypatch)


def location(shell: Shell, *options: str) -> str:
    return str(shell.json("status", *options)["location"])


def test_without_options_the_store_is_in_the_data_folder_made_on_the_first_write(shell: Shell) -> None:
    assert not shell.folder.exists()
    shell.remember("tea at four")
    assert location(shell) == str(shell.folder / "default.db")


def test_a_named_store_is_a_file_of_the_data_folder(shell: Shell) -> None:
    shell.remember("tea at four", "--store", "work-2")
    assert location(shell, "--store", "work-2") == str(shell.folder / "work-2.db")
    assert not (shell.folder / "default.db").exists()


@pytest.mark.parametrize("name", ["../x", "-x", "a b", "a.db", "é", "a/b"])
def test_a_store_name_may_not_lead_out_of_the_folder(shell: Shell, name: str) -> None:
    result = shell.run("remember", "tea", f"--store={name}")
    assert result.exit_code == 2
    assert "is not a valid name" in result.stderr
    assert not shell.folder.exists()


def test_the_option_beats_the_environment_which_beats_the_default(shell: Shell, tmp_path: Path) -> None:
    shell.monkeypatch.setenv("COMBRAY_DB", str(tmp_path / "environment.db"))
    shell.remember("tea at four")
    shell.remember("tea at four", "--db", str(tmp_path / "option.db"))
    assert location(shell) == str(tmp_path / "environment.db")
    assert location(shell, "--db", str(tmp_path / "option.db")) == str(tmp_path / "option.db")
    shell.monkeypatch.setenv("COMBRAY_DB", "")
    shell.remember("tea at four")
    assert location(shell) == str(shell.folder / "default.db")


def test_options_may_stand_before_the_verb_and_yield_to_those_behind_it(shell: Shell, tmp_path: Path) -> None:
    first, second = str(tmp_path / "first.db"), str(tmp_path / "second.db")
    shell.json("--db", first, "-n", "outer", "remember", "tea at four")
    shell.json("--db", first, "remember", "tea at five", "--db", second)
    assert shell.json("--db", first, "status", "-n", "outer")["total_insights"] == 1
    assert shell.json("status", "--db", second)["total_insights"] == 1
    assert shell.json("--store", "none", "status", "--db", second)["location"] == second


def test_namespaces_are_apart(shell: Shell) -> None:
    shell.remember("tea at four", "-n", "one")
    shell.monkeypatch.setenv("COMBRAY_NAMESPACE", "two")
    shell.remember("coffee at ten")
    assert shell.run("recall", "tea").exit_code == 1
    assert len(shell.json("recall", "tea", "-n", "one")["results"]) == 1


def test_db_and_store_together_are_refused(shell: Shell) -> None:
    result = shell.run("recall", "tea", "--db", "a.db", "--store", "b")
    assert result.exit_code == 2
    assert "exclude each other" in result.stderr


def test_a_folder_is_no_store(shell: Shell, tmp_path: Path) -> None:
    result = shell.run("remember", "tea", "--db", str(tmp_path))
    assert result.exit_code == 2
    assert f"{tmp_path} is a folder" in result.stderr


@pytest.mark.parametrize(
    "verb", [["recall", "x"], ["status"], ["export"], ["doctor"], ["viz"], ["backup", "b.db"]]
)
def test_reading_makes_no_store(shell: Shell, tmp_path: Path, verb: list[str]) -> None:
    missing = tmp_path / "missing.db"
    result = shell.run(*verb, "--db", str(missing))
    assert result.exit_code == 1
    assert f"the store {missing} does not exist" in result.stderr
    assert not missing.exists()


def test_a_missing_folder_is_named(shell: Shell, tmp_path: Path) -> None:
    result = shell.run("remember", "tea", "--db", str(tmp_path / "none" / "a.db"))
    assert result.exit_code == 1
    assert result.stderr.startswith("combray: ")
    assert str(tmp_path / "none") in result.stderr


def test_verbs_that_embed_nothing_need_no_embedder(shell: Shell) -> None:
    made = shell.remember("tea at four")
    shell.monkeypatch.setenv("COMBRAY_EMBEDDER", "onnx:/no/such/model")
    assert shell.json("forget", made)["status"] == "forgotten"
