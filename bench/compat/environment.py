"""Environments and sources below `.compat`: made once, and again when what they are made of changes."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import threading
from collections.abc import Sequence
from pathlib import Path

from bench.compat.declaration import ROOT, Suite

PLACE = ROOT / ".compat"
UV = (sys.executable, "-m", "uv")
_STAMP = "made-of.txt"
_DOWNLOADING = threading.Lock()
"""Several suites may come from one distribution."""


class FailedError(Exception):
    """A command that prepares a suite failed; the message is what it printed."""


def environment(name: str, extra: str, requires: Sequence[str] = ()) -> Path:
    """Return the Python of an environment with only Combray, an extra and what the tests require."""
    folder = PLACE / "environments" / name
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    made_of = _digest(sys.version, extra, *requires, (ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    if not _current(folder, made_of):
        shutil.rmtree(folder, ignore_errors=True)
        _run(*UV, "venv", "--quiet", "--python", sys.executable, str(folder))
        _run(*UV, "pip", "install", "--quiet", "--python", str(python), "-e", f"{ROOT}[{extra}]", *requires)
        (folder / _STAMP).write_text(made_of, encoding="utf-8")
    return python


def source(suite: Suite) -> Path:
    """Return the folder with the test files of a source distribution, downloaded from the package index."""
    folder = PLACE / "sources" / f"{suite.package}-{suite.version}"
    with _DOWNLOADING:
        _download(suite, folder)
    return folder


def _download(suite: Suite, folder: Path) -> None:
    made_of = _digest(suite.package, suite.version)
    if not _current(folder, made_of):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        wanted = f"{suite.package}=={suite.version}"
        # uv downloads wheels only; pip, run by uv, gives the source distribution.
        download = ("tool", "run", "pip", "download", "--quiet", "--no-deps", "--no-binary", suite.package)
        _run(*UV, *download, "--dest", str(folder), wanted)
        _unpack(next(folder.glob("*.tar.gz")), folder)
        (folder / _STAMP).write_text(made_of, encoding="utf-8")


def _unpack(archive: Path, folder: Path) -> None:
    """Unpack the tests alone: the package is the installed one, and no configuration of pytest is taken over."""
    with tarfile.open(archive) as opened:
        for member in opened.getmembers():
            inside = member.name.partition("/")[2]
            if inside.startswith(("tests/", "test/")):
                member.name = inside
                opened.extract(member, folder, filter="data")
    archive.unlink()


def _current(folder: Path, made_of: str) -> bool:
    stamp = folder / _STAMP
    return stamp.is_file() and stamp.read_text(encoding="utf-8") == made_of


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _run(*command: str) -> None:
    # The certificates of the system, which pip takes too: uv has its own, and knows no proxy of a company.
    own = {**os.environ, "UV_SYSTEM_CERTS": "true"}
    done = subprocess.run(command, cwd=ROOT, env=own, capture_output=True, text=True, check=False)
    if done.returncode:
        raise FailedError((done.stderr or done.stdout).strip())
