from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from shell import Shell

from combray import __version__
from combray.interfaces.cli.verbs import VERBS

DOCUMENTED = [
    *(
        "remember",
        "recall",
        "search",
        "think",
        "context",
        "stream",
        "compare",
        "get",
        "link",
        "related",
        "viz",
        "entities",
        "alias",
    ),
    *("index", "watch", "memory-search", "search-memory"),
    *("list", "settle", "update", "forget", "restore", "erase", "history"),
    *("status", "log", "consolidate", "worker", "gc", "review", "release", "audit", "doctor", "models", "backup"),
    *(
        "ingest",
        "import",
        "export",
        "migrate",
        "presets",
        "demo",
        "serve",
        "explore",
        "mcp",
        "setup",
        "eject",
        "hook",
    ),
    "keys",
]


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    return Shell(tmp_path, monkeypatch)


def test_the_verbs_are_those_of_the_design() -> None:
    assert sorted(VERBS) == sorted(DOCUMENTED)


@pytest.mark.parametrize("verb", DOCUMENTED)
def test_each_verb_has_help_with_an_example_and_a_line_in_the_list(shell: Shell, verb: str) -> None:
    helped = shell.run(verb, "--help")
    assert helped.exit_code == 0
    assert f"Usage: combray {verb} " in helped.output
    assert f"combray {verb}" in helped.output.split("Example")[1]
    listed = [line for line in shell.run("--help").output.splitlines() if line.startswith(f"  {verb} ")]
    assert len(listed) == 1
    assert not listed[0].endswith("...")


def test_help_and_completion_load_neither_numpy_nor_the_engine() -> None:
    check = (
        "import sys; from combray.interfaces.cli import combray\n"
        "try: combray.main(['--help'], prog_name='combray')\n"
        "except SystemExit: pass\n"
        "heavy = {'numpy', 'combray.engine', 'rich', 'tokenizers'} & set(sys.modules)\n"
        "sys.exit(f'loaded: {heavy}' if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, timeout=180, check=False)
    assert done.returncode == 0, done.stderr


def test_a_verb_loads_only_its_own_module() -> None:
    check = (
        "import sys; from combray.interfaces.cli import combray\n"
        "try: combray.main(['get', '--help'], prog_name='combray')\n"
        "except SystemExit: pass\n"
        "rooms = ('memories', 'graph', 'upkeep')\n"
        "loaded = ['combray.interfaces.cli.' + each in sys.modules for each in rooms]\n"
        "sys.exit(0 if loaded == [True, False, False] else str(loaded))"
    )
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, timeout=180, check=False)
    assert done.returncode == 0, done.stderr


def test_without_a_verb_the_help_is_shown_as_bad_usage(shell: Shell) -> None:
    result = shell.run()
    assert result.exit_code == 2
    assert "remember" in result.output


def test_an_unknown_verb_is_refused_with_the_nearest(shell: Shell) -> None:
    result = shell.run("recal", "x")
    assert result.exit_code == 2
    assert "verb 'recal' does not exist" in result.stderr
    assert "recall" in result.stderr


@pytest.mark.parametrize("mistyped", ["publish", "frget", "forgot", "eraze", "erase-all", "gcc", "delete", "xyz"])
def test_a_typing_error_never_leads_to_a_verb_that_changes_memories(shell: Shell, mistyped: str) -> None:
    result = shell.run(mistyped)
    assert result.exit_code == 2
    assert f"verb '{mistyped}' does not exist." in result.stderr
    assert not {"forget", "erase", "gc", "consolidate"} & set(result.stderr.partition("Did you mean")[2].split())
    if mistyped in ("publish", "xyz"):
        assert "Did you mean" not in result.stderr


def test_version_says_which(shell: Shell) -> None:
    result = shell.run("--version")
    assert result.exit_code == 0
    assert result.stdout == f"combray {__version__}\n"
