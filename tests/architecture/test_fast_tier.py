"""A new test is in the fast tier, unless its folder, its file or the test says why not."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest
from tiers import SLOW_FOLDERS, TESTS, is_slow

PLAIN = "def test_new(): pass\n"
STARTS = "import subprocess, sys\n\ndef test_new(): subprocess.run([sys.executable, '-c', ''])\n"
LISTENS = "import socket\n\ndef test_new(): socket.socket().bind(('127.0.0.1', 0))\n"
SLOW = "import pytest\n\npytestmark = pytest.mark.slow('starts a process')\n"
NEW = {
    "recall/test_plain.py": (PLAIN, "passed"),
    "another_folder/test_plain_too.py": (PLAIN, "passed"),
    "recall/test_starts.py": (STARTS, "failed"),
    "recall/test_listens.py": (LISTENS, "failed"),
    "recall/test_says_why.py": (SLOW + STARTS, ""),
    "recall/test_postgres.py": ("def test_new(postgres): pass\n", ""),
    "durability/test_in_a_slow_folder.py": (STARTS, ""),
}
"""File -> its text, and how its test ends in the fast tier: not at all where it is slow."""


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The lines of the fast tier of a folder with these files."""
    folder = tmp_path_factory.mktemp("tests")
    for name in ("conftest.py", "emptied.py", "tiers.py"):
        shutil.copy(TESTS / name, folder / name)
    for name, (text, _) in NEW.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    command = [
        sys.executable,
        "-m",
        "pytest",
        str(folder),
        "-m",
        "not slow",
        "-rA",
        "--tb=line",
        "-p",
        "no:xdist",
    ]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder).stdout


@pytest.mark.parametrize("name", NEW)
def test_a_new_file_is_in_the_fast_tier_unless_it_says_why_not(name: str, ended: str) -> None:
    lines = [line for line in ended.splitlines() if f"{name}::test_new" in line]
    end = NEW[name][1]
    assert [line.split()[0] for line in lines] == ([end.upper()] if end else [])


def test_what_starts_a_process_is_told_how_to_say_so(ended: str) -> None:
    assert (
        'subprocess.Popen in a test that is not slow. Mark the test or its file: pytest.mark.slow("why")' in ended
    )


def test_every_slow_folder_is_there_and_has_a_reason() -> None:
    assert all((TESTS / folder).is_dir() and why for folder, why in SLOW_FOLDERS.items())


def test_a_mark_needs_a_reason(request: pytest.FixtureRequest) -> None:
    request.node.add_marker(pytest.mark.slow)
    with pytest.raises(pytest.UsageError, match="say why it is slow"):
        is_slow(request.node)
