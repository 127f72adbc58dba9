"""The site: README, docs, results and examples staged as they lie in the repository, then built strictly."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from pages.api import rendered
from pages.generated import ROOT

FOLDERS = ("docs", "bench/results", "examples")
FILES = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE", "bench/README.md")
CONFIGURATION = "zensical.toml"


def build(target: Path) -> subprocess.CompletedProcess[str]:
    """Build the site into `target / "site"`; a broken link or anchor is a failure."""
    stage(target / "pages")
    shutil.copy(ROOT / CONFIGURATION, target)
    return subprocess.run(
        [sys.executable, "-m", "zensical", "build", "--strict", "--clean"],
        cwd=target,
        capture_output=True,
        text=True,
        check=False,
    )


def stage(folder: Path) -> None:
    """Copy every page to its own place, with the API reference filled in; relative links stay what they are."""
    shutil.rmtree(folder, ignore_errors=True)
    sources = [ROOT / name for name in FILES]
    sources += [path for name in FOLDERS for path in (ROOT / name).rglob("*") if path.is_file()]
    for source in sources:
        if not source.exists() or "__pycache__" in source.parts:
            continue
        copy = folder / source.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        if source.suffix == ".md":
            copy.write_text(rendered(source.read_text(encoding="utf-8")), encoding="utf-8")
        else:
            shutil.copy(source, copy)
