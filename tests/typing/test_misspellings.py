"""mypy --strict reports every misspelt field, option and verb, and accepts the examples."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MISSPELT = Path(__file__).parent / "misspelt.py"


@pytest.fixture(scope="module")
def reported() -> list[tuple[str, int]]:
    """File and line of each error in one run of mypy on the misspellings and the examples."""
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", ".mypy_cache", str(MISSPELT), "examples"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 1, done.stdout + done.stderr
    return [(path, int(line)) for path, line in re.findall(r"^(\S+?):(\d+): error", done.stdout, re.MULTILINE)]


def test_every_misspelling_is_an_error(reported: list[tuple[str, int]]) -> None:
    lines = MISSPELT.read_text(encoding="utf-8").splitlines()
    wrong = [number for number, line in enumerate(lines, 1) if line.endswith("# ERROR")]
    assert len(wrong) == 9
    assert [line for path, line in reported if path.endswith(MISSPELT.name)] == wrong


def test_the_examples_are_well_typed(reported: list[tuple[str, int]]) -> None:
    assert [each for each in reported if not each[0].endswith(MISSPELT.name)] == []
