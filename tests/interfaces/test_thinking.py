"""`combray think`, and the tool of that name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from shell import Shell

import combray
from combray.interfaces.mcp.calls import Calls
from combray.interfaces.mcp.lines import NOTICE
from combray.testing.fakes import FakeClock


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    shell = Shell(tmp_path, monkeypatch)
    shell.remember("The ferry leaves at nine because of the tide. Bring a coat.", "--author", "Ana")
    return shell


def test_piped_it_is_json_with_answer_citations_and_sources(shell: Shell) -> None:
    thought = shell.json("think", "why does the ferry leave at nine")
    assert thought["answer"].startswith("“The ferry leaves at nine because of the tide.” (Ana, ")
    assert (thought["known"], thought["mode"]) == (True, "extractive")
    (citation,) = thought["citations"]
    assert citation["memory_id"] == thought["sources"][0]["id"]
    assert len(thought["constitution"]) == 64
    assert "trace" not in thought
    assert shell.json("think", "ferry tide", "--explain")["trace"]


def test_in_a_terminal_the_citations_stand_below_the_answer(shell: Shell) -> None:
    shown = shell.in_terminal("think", "why does the ferry leave at nine", "--explain", width=120)
    answer, rest = shown.split("\n\n", 1)
    assert "because of the tide.” (Ana, " in answer
    assert rest.startswith("[1] Ana · ")
    assert "quoted from memories, no language model" in rest
    assert "SearchContext" in rest


def test_a_source_that_a_quotation_names_is_listed(shell: Shell) -> None:
    """ "later, may replace [2]" tells a reader nothing unless [2] is below it."""
    shell.remember("The badge number is 4471", "--at", "2026-09-02")
    shell.remember("Correction: the badge number is 4417, not 4471", "--at", "2026-10-07")
    answer, rest = shell.in_terminal("think", "what is the badge number", width=120).split("\n\n", 1)
    named = set(re.findall(r"\[(\d)\]", answer))
    assert named == {"1", "2"}
    assert set(re.findall(r"^\[(\d)\] ", rest, re.MULTILINE)) == named


def test_not_knowing_is_exit_code_1_with_the_reason(shell: Shell) -> None:
    result = shell.run("think", "zeppelin hangar")
    assert result.exit_code == 1
    assert '"known": false' in result.stdout
    assert "nothing here matches" in result.stderr


def test_another_preset_can_be_asked(shell: Shell) -> None:
    assert shell.json("think", "ferry tide", "--preset", "mnemon")["details"]["preset"] == "mnemon"


def test_the_tool_answers_with_the_memories_behind_it() -> None:
    engine = combray.open(":memory:", embedder="none", clock=FakeClock())
    known = engine.remember("The ferry leaves at nine\nbecause of the tide.", author="Ana")
    result = Calls(engine).think("Why does the ferry leave at nine?")
    said = str(getattr(result.content[0], "text", "")).splitlines()
    assert said[0] == NOTICE
    assert said[-1].startswith(f"[1] = [{known.id[:13]}] 2024-05-01 12:00 (fact/")
    structured = result.structured_content
    assert structured is not None
    assert structured["known"] is True
    assert structured["citations"] == [{"number": 1, "id": known.id[:13]}]


def test_the_tool_says_that_it_does_not_know() -> None:
    engine = combray.open(":memory:", embedder="none", clock=FakeClock())
    engine.remember("The ferry leaves at nine.")
    result = Calls(engine).think("Who owns the zeppelin?")
    assert str(getattr(result.content[0], "text", "")).endswith("Say that you searched and found nothing.")
    assert result.structured_content is not None
    assert result.structured_content["known"] is False
