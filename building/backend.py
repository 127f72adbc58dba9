"""The build backend: uv_build, from a tree that holds the default embedder's table too.

A wheel or sdist is built from a copy. In the copy, links of the README are absolute and `[project.urls]` is
filled, if the variable `COMBRAY_REPOSITORY` names the repository's address. The wheel holds the table, the sdist
does not.
An editable install gets the table in the source tree itself, where Git ignores it.

Hooks: https://peps.python.org/pep-0517/ and https://peps.python.org/pep-0660/.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import table

ROOT = Path(__file__).resolve().parents[1]
ADDRESS = "COMBRAY_REPOSITORY"
COPIED = ("src", "building", "pyproject.toml", "README.md", "CHANGELOG.md", "LICENSE")
_LINK = re.compile(r"(!?\[[^\]]*\]\()(?!https?://|#|mailto:)([^)\s]+)\)")
_PICTURE = re.compile(r"\.(svg|png|jpg|gif)$")

Settings = Mapping[Any, Any] | None


def get_requires_for_build_wheel(config_settings: Settings = None) -> list[str]:
    """Return the package with the table, if the tree has no table yet."""
    del config_settings
    return [] if table.present(ROOT) else [table.SOURCE]


get_requires_for_build_editable = get_requires_for_build_wheel


def get_requires_for_build_sdist(config_settings: Settings = None) -> list[str]:
    """Return nothing: an sdist holds no table."""
    del config_settings
    return []


def build_wheel(
    wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None
) -> str:
    """Build a wheel with the table."""
    del metadata_directory  # uv_build writes the same again
    return _built("build_wheel", wheel_directory, config_settings, with_table=True)


def prepare_metadata_for_build_wheel(metadata_directory: str, config_settings: Settings = None) -> str:
    """Write the metadata of the wheel."""
    return _built("prepare_metadata_for_build_wheel", metadata_directory, config_settings)


def build_sdist(sdist_directory: str, config_settings: Settings = None) -> str:
    """Build an sdist. A wheel that is built from it equals one that is built from the tree."""
    return _built("build_sdist", sdist_directory, config_settings)


def build_editable(
    wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None
) -> str:
    """Build the wheel of an editable install, with the table in the source tree."""
    import uv_build

    table.make(ROOT)
    return str(uv_build.build_editable(wheel_directory, config_settings, metadata_directory))


def prepare_metadata_for_build_editable(metadata_directory: str, config_settings: Settings = None) -> str:
    """Write the metadata of an editable install."""
    import uv_build

    return str(uv_build.prepare_metadata_for_build_editable(metadata_directory, config_settings))


def _built(hook: str, folder: str, settings: Settings, *, with_table: bool = False) -> str:
    import uv_build

    folder = os.path.abspath(folder)  # noqa: PTH100 - the hook gets a string
    with _copy() as root:
        if with_table:
            table.make(root)
        else:
            shutil.rmtree(root / table.FOLDER, ignore_errors=True)
        return str(getattr(uv_build, hook)(folder, settings))


@contextmanager
def _copy() -> Iterator[Path]:
    """Copy what is packed, and make the copy the current folder."""
    ignored = shutil.ignore_patterns("__pycache__", "*.pyc")
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as made:
        root = Path(made)
        for name in COPIED:
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(source, root / name, ignore=ignored)
            else:
                shutil.copy(source, root / name)
        address = os.environ.get(ADDRESS, "").rstrip("/")
        if address:
            _address(root, address)
        os.chdir(root)
        try:
            yield root
        finally:
            os.chdir(before)


def _address(root: Path, address: str) -> None:
    """Make the README's links absolute and fill `[project.urls]`, unless that was done in an sdist."""
    readme, project = root / "README.md", root / "pyproject.toml"
    readme.write_text(absolute(readme.read_text(encoding="utf-8"), address), encoding="utf-8", newline="\n")
    text = project.read_text(encoding="utf-8")
    if "[project.urls]" not in text:
        project.write_text(text + urls(address), encoding="utf-8", newline="\n")


def absolute(text: str, address: str) -> str:
    """Return Markdown whose relative links lead into the repository: pictures as files, pages as pages."""

    def led(found: re.Match[str]) -> str:
        opening, target = found.groups()
        place = "raw" if _PICTURE.search(target) else "blob"
        return f"{opening}{address}/{place}/HEAD/{target})"

    return _LINK.sub(led, text)


def urls(address: str) -> str:
    """Return the table of the project's addresses."""
    listed = {
        "Homepage": address,
        "Repository": address,
        "Documentation": f"{address}/blob/HEAD/docs",
        "Changelog": f"{address}/blob/HEAD/CHANGELOG.md",
        "Issues": f"{address}/issues",
    }
    return "\n[project.urls]\n" + "".join(f'{name} = "{each}"\n' for name, each in listed.items())
