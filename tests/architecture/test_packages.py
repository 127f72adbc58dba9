"""What the wheel and the sdist contain: every module, data file and the licence; what an install brings."""

from __future__ import annotations

import os
import re
import sys
import tarfile
import tomllib
import zipfile
from importlib import metadata
from pathlib import Path

import backend
import pytest
import release
import table
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
    """The folder with both packages, built twice without a network."""
    folder = tmp_path_factory.mktemp("packages")
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("PATH", path)
        patched.setenv(backend.ADDRESS, "https://example.org/combray/")
        release.build(folder)
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
        (tables,) = [name for name in names if name.endswith("/LICENSE-wordllama")]
        assert packed.read(licence) == (ROOT / "LICENSE").read_bytes()
        assert packed.read(tables).startswith(b"MIT License")
        (entries,) = [name for name in names if name.endswith("/entry_points.txt")]
        for name, value in presets.OURS.items():
            assert f"{name} = {value}\n".encode() in packed.read(entries)
        assert b"License-Expression: Apache-2.0 AND MIT\n" in packed.read(metadata)
        assert b"Project-URL: Changelog, https://example.org/combray/blob/HEAD/CHANGELOG.md\n" in packed.read(
            metadata
        )
        description = packed.read(metadata).decode("utf-8").partition("\n\n")[2]
        links = re.findall(r"\]\(([^)]+)\)", description)
        assert len(links) > 20
        assert [each for each in links if not each.startswith(("https://", "#"))] == []
    assert FILES - names == set()


def test_the_sdist_is_complete(built: Path) -> None:
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as packed:
        names = {name.partition("/")[2] for name in packed.getnames()}
    assert {"LICENSE", "README.md", "CHANGELOG.md", "pyproject.toml", "building/backend.py"} <= names
    tables = {(table.FOLDER / name).as_posix() for name in table.DIGESTS}
    assert {f"src/{name}" for name in FILES} - names == tables


def test_a_tree_without_the_table_asks_for_the_package_that_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert backend.get_requires_for_build_wheel() == []
    assert backend.get_requires_for_build_sdist() == []
    monkeypatch.setattr(backend, "ROOT", tmp_path)
    assert backend.get_requires_for_build_wheel() == [table.SOURCE]
    assert backend.get_requires_for_build_editable() == [table.SOURCE]
    table.make(tmp_path)
    assert backend.get_requires_for_build_editable() == []
    (tmp_path / table.FOLDER / table.ROWS).write_bytes(b"cut short")
    assert backend.get_requires_for_build_editable() == [table.SOURCE]


def test_another_table_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(table.DIGESTS, table.ROWS, "0" * 64)
    with pytest.raises(RuntimeError, match=f"is another one: pip install {table.SOURCE}"):
        table.make(tmp_path)
    monkeypatch.setattr(table, "find_spec", lambda name: None)
    with pytest.raises(RuntimeError, match=f"is not there: pip install {table.SOURCE}"):
        table.make(tmp_path)


def test_links_of_the_readme_become_absolute() -> None:
    text = "![a](pages/a.svg) [b](pages/b.md#c) [d](https://d.org) [e](#e) `f`"
    assert backend.absolute(text, "https://x.org/y") == (
        "![a](https://x.org/y/raw/HEAD/pages/a.svg) [b](https://x.org/y/blob/HEAD/pages/b.md#c) "
        "[d](https://d.org) [e](#e) `f`"
    )


def test_every_extra_is_tried_and_its_lowest_versions_are_known() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert set(release.MODULES) == {"", *project["optional-dependencies"]}
    lowest = release.constraints().splitlines()
    assert "numpy==2.0" in lowest
    assert "psycopg==3.2" in lowest


def test_an_install_brings_few_packages() -> None:
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    assert len(_installed_for(listed)) <= 20


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
