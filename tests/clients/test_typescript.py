"""The TypeScript client: its own tests, against servers that they start."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CLIENT = Path(__file__).parents[2] / "clients" / "typescript"
SECONDS = 600
"""A limit for a process that hangs."""


@pytest.mark.slow("installs a compiler and starts servers")
def test_the_clients_own_tests_pass(tmp_path: Path) -> None:
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        pytest.skip("needs node and npm")
    place = tmp_path / "typescript"
    # A copy, so that nothing is left in the repository.
    shutil.copytree(CLIENT, place, ignore=shutil.ignore_patterns("node_modules", "dist", "build"))
    install = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"]
    installed = subprocess.run(install, cwd=place, capture_output=True, text=True, timeout=SECONDS)
    if installed.returncode:
        pytest.skip(f"npm cannot install the compiler: {installed.stderr.strip()[-200:]}")
    environment = os.environ | {"COMBRAY_PYTHON": sys.executable}
    done = subprocess.run(
        [npm, "test"], cwd=place, env=environment, capture_output=True, text=True, timeout=SECONDS
    )
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]


def test_it_has_no_dependency_at_run_time() -> None:
    package = json.loads((CLIENT / "package.json").read_text(encoding="utf-8"))
    assert "dependencies" not in package


def test_the_lock_names_no_registry() -> None:
    lock = json.loads((CLIENT / "package-lock.json").read_text(encoding="utf-8"))
    assert not [name for name, each in lock["packages"].items() if "resolved" in each]


def test_it_has_the_version_of_the_engine() -> None:
    from combray import __version__

    package = json.loads((CLIENT / "package.json").read_text(encoding="utf-8"))
    assert package["version"] == __version__
