from __future__ import annotations

from pathlib import Path

import pytest
from shell import Shell


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    shell = Shell(tmp_path, monkeypatch)
    shell.remember("The ferry to the islands leaves at nine.", "--cat", "fact")
    shell.remember("We chose the blue ferry for the crossing.", "--cat", "decision")
    return shell


def test_piped_it_is_json_with_text_sections_tokens_and_what_was_dropped(shell: Shell) -> None:
    made = shell.json("context", "ferry", "--budget", "200")
    assert set(made) == {"text", "sections", "tokens", "dropped", "budget", "state"}
    assert made["budget"] == 200
    assert 0 < made["tokens"] <= 200
    assert "[1] " in made["text"]
    (section,) = made["sections"]
    assert (section["name"], len(section["ids"])) == ("memories", 2)


def test_in_a_terminal_it_is_the_text_itself(shell: Shell) -> None:
    shown = shell.in_terminal("context", "ferry", "--cat", "decision")
    assert shown.startswith("<memory-")
    assert "We chose the blue ferry" in shown
    assert "nine" not in shown


def test_nothing_found_is_said_with_exit_code_1(shell: Shell) -> None:
    result = shell.run("context", "zeppelin")
    assert result.exit_code == 1
    assert "nothing here matches" in result.stderr


def test_a_budget_of_nothing_is_bad_usage(shell: Shell) -> None:
    assert shell.run("context", "ferry", "--budget", "5").exit_code == 2
