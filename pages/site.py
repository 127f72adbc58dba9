"""The site: README, docs, results and examples staged as they lie in the repository, then built strictly.

Each version has a folder of its own; `versions.json` beside them names all (the format of mike, which the theme
reads), so that a reader of an older release finds its pages.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

from pages.api import rendered
from pages.generated import ROOT

FOLDERS = ("docs", "bench/results", "examples")
FILES = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE", "bench/README.md")
CONFIGURATION = "zensical.toml"


_TO_LATEST = '<!doctype html><meta http-equiv="refresh" content="0; url=latest/"><a href="latest/">Combray</a>\n'


def build(target: Path) -> subprocess.CompletedProcess[str]:
    """Build the site into `target / "site" / VERSION`; a broken link or anchor is a failure."""
    stage(target / "pages")
    shutil.copy(ROOT / CONFIGURATION, target)
    done = subprocess.run(
        [sys.executable, "-m", "zensical", "build", "--strict", "--clean"],
        cwd=target,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode == 0:
        publish(target / "built", target / "site", version())
    return done


def version() -> str:
    """Return the version that the pages are of."""
    return str(tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"])


def publish(built: Path, folder: Path, name: str) -> None:
    """Move built pages to a version's folder, as the latest; pages of other versions stay."""
    folder.mkdir(exist_ok=True)
    listed = folder / "versions.json"
    before = json.loads(listed.read_text(encoding="utf-8")) if listed.exists() else []
    others = [{**each, "aliases": []} for each in before if each["version"] != name]
    for place in (name, "latest"):
        shutil.rmtree(folder / place, ignore_errors=True)
        shutil.copytree(built, folder / place)
    shutil.rmtree(built)
    versions = [{"version": name, "title": name, "aliases": ["latest"]}, *others]
    listed.write_text(json.dumps(versions, indent=2) + "\n", encoding="utf-8")
    (folder / "index.html").write_text(_TO_LATEST, encoding="utf-8")


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
