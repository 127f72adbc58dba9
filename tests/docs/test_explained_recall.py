"""The example of `--explain` prints what its page shows: the same hits in the same order, and no mark."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from combray.interfaces.cli import combray
from combray.settings import PREFIX, SETTINGS

PAGE = (Path(__file__).parents[2] / "docs" / "explanation" / "recall.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```console\n\$ export COMBRAY_DB=(\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SHOWN = re.compile(r"^```text\n( #   score   memory.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_shell_example_prints_what_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for setting in SETTINGS:
        monkeypatch.delenv(setting.variable, raising=False)
    monkeypatch.setenv(f"{PREFIX}HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    example, shown = BLOCK.search(PAGE), SHOWN.search(PAGE)
    assert example is not None
    assert shown is not None
    monkeypatch.setenv("COMBRAY_DB", example[1])
    explained = []
    for line in example[2].splitlines():
        words = shlex.split(line.removeprefix("$ combray ").split(" || ")[0])
        done = CliRunner().invoke(combray, words)
        assert done.exit_code == (1 if " || " in line else 0), done.output
        assert "may_revise" not in done.stdout  # a terminal would ask in the middle of the example
        if "--explain" in words:
            assert "outdated" not in done.stdout
            explained = re.findall(r'"content": "(.*?)"', done.stdout)
    flat = " ".join(shown[1].split())
    assert explained
    places = [flat.find(each) for each in explained]
    assert places == sorted(places)
    assert min(places) > 0
