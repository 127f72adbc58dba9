"""What the wheel and the sdist contain: every module, data file and the licence; what an install brings."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from combray import presets

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "combray"
FILES = {
    path.relative_to(ROOT / "src").as_posix()
    for path in SOURCE.rglob("*")
    if path.is_file() and path.suffix != ".pyc" and path.name != ".DS_Store"
}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with both packages, built without a network."""
    folder = tmp_path_factory.mktemp("packages")
    program = f"import uv_build as b; b.build_wheel({str(folder)!r}); b.build_sdist({str(folder)!r})"
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))
    environment = {**os.environ, "PATH": path}
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True, capture_output=True, env=environment)
    return folder


def test_the_data_files_are_those_that_the_code_reads() -> None:
    suffixes = {Path(name).suffix for name in FILES}
    assert {".py", ".typed", ".sql", ".json"} <= suffixes
    assert any(name.startswith("combray/language/en/") for name in FILES)


def test_the_wheel_is_complete(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        names = set(packed.namelist())
        (licence,) = [name for name in names if name.endswith("/licenses/LICENSE")]
        (metadata,) = [name for name in names if name.endswith("/METADATA")]
        assert packed.read(licence) == (ROOT / "LICENSE").read_bytes()
        (entries,) = [name for name in names if name.endswith("/entry_points.txt")]
        for name, value in presets.OURS.items():
            assert f"{name} = {value}\n".encode() in packed.read(entries)
        assert b"License-Expression: Apache-2.0\nLicense-File: LICENSE\n" in packed.read(metadata)
    assert FILES - names == set()


def test_the_sdist_is_complete(built: Path) -> None:
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as packed:
        names = {name.partition("/")[2] for name in packed.getnames()}
    assert {"LICENSE", "README.md", "pyproject.toml"} <= names
    assert {f"src/{name}" for name in FILES} - names == set()


def test_the_page_on_security_counts_the_packages_that_an_install_brings() -> None:
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    # Those of another platform are named beside the count.
    direct = [each for each in listed if (marker := Requirement(each).marker) is None or marker.evaluate()]
    page = (ROOT / "docs" / "explanation" / "security.md").read_text()
    counts = re.search(r"has (\w+) direct dependencies and (\d+) packages in total", page)
    assert counts is not None
    assert counts[1] == NUMBERS[len(direct)]
    assert int(counts[2]) == len(_installed_for(direct))


NUMBERS = (
    "no",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
)


def _installed_for(requirements: list[str]) -> set[str]:
    """Names of all packages that these requirements bring on this platform, by their metadata."""
    waiting = [Requirement(each) for each in requirements]
    seen: set[tuple[str, frozenset[str]]] = set()
    while waiting:
        wanted = waiting.pop()
        extras = frozenset(wanted.extras)
        name = canonicalize_name(wanted.name)
        if (name, extras) in seen:
            continue
        seen.add((name, extras))
        needs = map(Requirement, metadata.requires(name) or ())
        waiting += [
            each for each in needs
            if each.marker is None or any(each.marker.evaluate({"extra": extra}) for extra in ("", *extras))
        ]  # fmt: skip
    return {name for name, _ in seen}
