"""The built files are those of the source: built again, byte by byte."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "explorer"
BUILT = ROOT / "src" / "combray" / "explorer"
SECONDS = 600
"""A limit for a process that hangs."""


@pytest.mark.slow("installs a bundler and a compiler")
def test_a_build_gives_the_same_bytes_and_the_types_hold(tmp_path: Path) -> None:
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        pytest.skip("needs node and npm")
    place = tmp_path / "explorer"
    shutil.copytree(SOURCE, place, ignore=shutil.ignore_patterns("node_modules"))
    # The types of the API are those of the generated client.
    client = Path("clients", "typescript", "src", "generated.ts")
    (tmp_path / client).parent.mkdir(parents=True)
    shutil.copy(ROOT / client, tmp_path / client)
    install = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"]
    installed = subprocess.run(install, cwd=place, capture_output=True, text=True, timeout=SECONDS)
    if installed.returncode:
        pytest.skip(f"npm cannot install: {installed.stderr.strip()[-200:]}")
    for script in ("check", "build"):
        arguments = ["--", str(tmp_path / "built")] if script == "build" else []
        done = subprocess.run(
            [npm, "run", script, *arguments], cwd=place, capture_output=True, text=True, timeout=SECONDS
        )
        assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    made = {each.name: each.read_bytes() for each in (tmp_path / "built").iterdir()}
    committed = {each.name: each.read_bytes() for each in BUILT.iterdir()}
    assert made.keys() == committed.keys(), "Run: cd explorer && npm run build"
    assert [name for name in made if made[name] != committed[name]] == []


def test_the_lock_names_no_registry() -> None:
    lock = json.loads((SOURCE / "package-lock.json").read_text(encoding="utf-8"))
    assert not [name for name, each in lock["packages"].items() if "resolved" in each]


def test_it_has_the_version_of_the_engine() -> None:
    from combray import __version__

    package = json.loads((SOURCE / "package.json").read_text(encoding="utf-8"))
    assert package["version"] == __version__


WORDS = ("innerHTML", "InnerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(")


@pytest.mark.parametrize("word", WORDS)
def test_the_source_never_makes_html_of_text(word: str) -> None:
    sources = [*(SOURCE / "src").rglob("*.ts")]
    assert sources
    assert [each.name for each in sources if word in each.read_text(encoding="utf-8")] == []
