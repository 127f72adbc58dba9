"""`combray setup` and `combray eject` in the shell: preview, question, options, doctor."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from shell import Shell

HOOK = """#!{python}
import json, sys
event = json.load(sys.stdin)
assert sys.argv[1:3] == ["hook", "session-start"], sys.argv
sys.exit({code}) if {code} else print("remembered: " + event["session_id"])
"""


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    return Shell(tmp_path / "data", monkeypatch)


@pytest.fixture
def home(shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder of its own."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("USERPROFILE", str(folder))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    return folder


def program(folder: Path, code: int = 0) -> Path:
    place = folder / "combray"
    place.write_text(HOOK.format(python=sys.executable, code=code))
    place.chmod(0o755)
    return place


def test_a_dry_run_shows_a_diff_and_writes_nothing(shell: Shell, home: Path) -> None:
    shown = shell.in_terminal("setup", "claude-code", "--dry-run", width=200)
    assert "+++ ~/.claude/settings.json" in shown
    assert "hook session-start --client claude-code" in shown
    assert list(home.iterdir()) == []


def test_without_a_terminal_it_wants_yes(shell: Shell, home: Path) -> None:
    result = shell.run("setup", "claude-code")
    assert result.exit_code == 1
    assert "Add --yes." in result.stderr
    assert list(home.iterdir()) == []


def test_setup_writes_and_eject_restores(shell: Shell, home: Path) -> None:
    (home / ".claude.json").write_text('{"a": 1}')
    rows = shell.json("setup", "claude-code", "--yes", "--store", "agent", "--namespace", "work")
    assert {row["action"] for row in rows} == {"changed", "created"}
    entry = json.loads((home / ".claude.json").read_text())["mcpServers"]["combray"]
    assert entry["args"] == ["mcp", "--store", "agent", "--namespace", "work"]
    hooks = json.loads((home / ".claude/settings.json").read_text())["hooks"]
    assert set(hooks) == {"SessionStart", "UserPromptSubmit", "PreCompact", "Stop", "SessionEnd"}
    line = hooks["Stop"][0]["hooks"][0]["command"]
    assert line.endswith(" hook stop --client claude-code --store agent --namespace work")
    assert {
        row["action"] for row in shell.json("setup", "claude-code", "--yes", "--store", "agent", "-n", "work")
    } == {"unchanged"}
    shell.json("eject", "claude-code", "--yes")
    assert (home / ".claude.json").read_text() == '{"a": 1}'
    assert [each.name for each in home.iterdir()] == [".claude.json"]


def test_the_path_of_a_store_becomes_absolute(shell: Shell, home: Path, tmp_path: Path) -> None:
    shell.monkeypatch.chdir(tmp_path)
    shell.run("setup", "codex", "--yes", "--db", "agent.db")
    assert str(tmp_path / "agent.db") in (home / ".codex/config.toml").read_text()


def test_a_project_has_the_name_and_not_the_path_of_the_program(shell: Shell, home: Path, tmp_path: Path) -> None:
    project = tmp_path / "app"
    project.mkdir()
    shell.run("setup", "claude-code", "--project", "--folder", str(project), "--yes")
    assert json.loads((project / ".mcp.json").read_text())["mcpServers"]["combray"]["command"] == "combray"
    assert list(home.iterdir()) == []


@pytest.mark.parametrize("verb", ["setup", "eject"])
def test_a_client_must_be_named(shell: Shell, home: Path, verb: str) -> None:
    result = shell.run(verb)
    assert result.exit_code == 2
    assert "claude-code, codex, cursor" in result.stderr


def test_an_invalid_file_is_one_line(shell: Shell, home: Path) -> None:
    (home / ".claude.json").write_text("{")
    result = shell.run("setup", "claude-code", "--yes")
    assert result.exit_code == 1
    assert result.stderr.count("\n") == 1
    assert "is not valid JSON" in result.stderr
    assert "line 1, column 2" in result.stderr


def test_the_doctor_says_what_is_wired_and_runs_the_hook(shell: Shell, home: Path, tmp_path: Path) -> None:
    call = ("--program", str(program(tmp_path)))
    before = shell.run("setup", "codex", "--check", *call)
    assert before.exit_code == 1
    assert "not wired" in before.stdout
    shell.json("setup", "codex", "--yes", *call)
    rows = {row["what"]: row for row in shell.json("setup", "codex", "--check")}
    assert rows[str(home / ".codex/config.toml")]["said"] == "wired"
    assert rows["hook"]["good"] is True
    assert "with 26 bytes" in rows["hook"]["said"]
    assert rows["last run"]["said"] == "no hook has run yet"


def test_the_doctor_shows_when_a_hook_last_ran(shell: Shell, home: Path, tmp_path: Path) -> None:
    call = ("--program", str(program(tmp_path)))
    shell.json("setup", "codex", "--yes", *call)
    runs = shell.folder / "hooks"
    runs.mkdir(parents=True)
    (runs / "codex.json").write_text(
        '{"verb": "prompt", "at": "2026-11-23T07:20:00+00:00", "ms": 41, "error": ""}'
    )
    rows = {row["what"]: row for row in shell.json("setup", "codex", "--check", *call)}
    assert rows["last run"] == {
        "client": "codex",
        "what": "last run",
        "good": True,
        "said": "prompt at 2026-11-23T07:20:00+00:00, 41 ms",
    }


def test_the_doctor_reports_a_hook_that_fails_and_a_changed_entry(
    shell: Shell, home: Path, tmp_path: Path
) -> None:
    call = ("--program", str(program(tmp_path, code=3)))
    shell.json("setup", "cursor", "--yes", *call)
    config = home / ".cursor/mcp.json"
    config.write_text(config.read_text().replace('"mcp"', '"mcp", "--in", "x"'))
    result = shell.run("setup", "cursor", "--check", *call)
    assert result.exit_code == 1
    rows = {row["what"]: row for row in json.loads(result.stdout)}
    assert rows["hook"]["good"] is False
    assert "exit code 3" in rows["hook"]["said"]
    assert "run combray setup again" in rows[str(config)]["said"]


def test_options_that_are_not_given_stay_as_they_were(shell: Shell, home: Path) -> None:
    shell.json("setup", "codex", "--yes", "--store", "agent", "--tools", "--program", "/opt/combray")
    before = (home / ".codex/config.toml").read_text(), (home / ".codex/hooks.json").read_text()
    assert "/opt/combray hook tool" in before[1]
    assert {row["action"] for row in shell.json("setup", "codex", "--yes")} == {"unchanged"}
    shell.json("setup", "codex", "--yes", "--store", "other", "--no-tools")
    after = (home / ".codex/config.toml").read_text(), (home / ".codex/hooks.json").read_text()
    assert after[0] == before[0].replace("agent", "other")
    assert "/opt/combray hook stop --client codex --store other" in after[1]
    assert "hook tool" not in after[1]


def test_without_a_client_those_that_are_used_here_are_named_and_checked(shell: Shell, home: Path) -> None:
    nobody = shell.run("setup", "--check")
    assert nobody.exit_code == 1
    assert "none of the clients is used here" in nobody.stderr
    (home / ".codex").mkdir()
    (home / ".claude.json").write_text("{}")
    assert "Found here: claude-code, codex." in shell.run("setup").stderr
    rows = json.loads(shell.run("setup", "--check").stdout)
    assert {row["client"] for row in rows} == {"claude-code", "codex"}
