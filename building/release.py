"""`python building/release.py`: the wheel and the sdist in `dist`, built twice, checked, and tried.

python building/release.py [--try PYTHON] [--extra NAME] [--lowest]

`--try` installs the wheel in a new environment of that interpreter, runs the demo and checks the types of the
examples; it and `--extra` may be given again. `--lowest` installs the lowest allowed versions of dependencies.
Needs the tools of the group `package`.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import backend

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
UNKNOWN = ("AuthorEmail", "Url")
"""What pyroma cannot find: a mail address, and the repository's unless `backend.ADDRESS` is set."""
MODULES = {
    "": "click",
    "agent-framework": "combray.integrations.agent_framework",
    "anthropic": "combray.integrations.anthropic",
    "crewai": "combray.integrations.crewai",
    "encryption": "sqlcipher3",
    "google-adk": "combray.integrations.google_adk",
    "haystack": "combray.integrations.haystack",
    "hermes": "combray.integrations.hermes",
    "langchain": "combray.integrations.langchain",
    "langgraph": "combray.integrations.langgraph",
    "llama-index": "combray.integrations.llama_index",
    "markdown": "yaml",
    "mcp": "mcp",
    "onnx": "onnxruntime, tokenizers, huggingface_hub",
    "openai-agents": "combray.integrations.openai_agents",
    "parquet": "pyarrow",
    "postgres": "psycopg, psycopg_pool, combray.stores.postgres",
    "pydantic-ai": "combray.integrations.pydantic_ai",
    "server": "starlette, uvicorn, combray.server",
    "strands": "combray.integrations.strands",
    "watch": "watchfiles",
}
"""Extra -> modules that are imported with it. A test compares the names with `pyproject.toml`."""
_TRIED = """
import combray
with combray.open("tried.db") as engine:
    engine.remember("Mara chose PostgreSQL for the orders.")
    assert "PostgreSQL" in engine.recall("Which database did Mara choose?").hits[0].memory.content
"""


@dataclass(frozen=True, slots=True)
class Tried:
    """One installation of the wheel: what it took and what it weighs, the environment without its pip."""

    python: str
    extra: str
    installed: float
    answered: float
    megabytes: float
    bytecode: float
    packages: int


def main(arguments: Sequence[str] | None = None) -> int:
    """Build, check and try; the exit code is 0 if all is well."""
    made = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    made.add_argument("--try", dest="pythons", action="append", default=[], metavar="PYTHON")
    made.add_argument("--extra", dest="extras", action="append", default=[], choices=sorted(MODULES)[1:])
    made.add_argument("--lowest", action="store_true")
    options = made.parse_args(arguments)
    # uv_build looks for its program there.
    os.environ["PATH"] = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))
    wheel, sdist = build(DIST)
    skipped = UNKNOWN[:1] if os.environ.get(backend.ADDRESS) else UNKNOWN
    for command in (
        ("twine", "check", "--strict", str(wheel), str(sdist)),
        ("check-wheel-contents", str(wheel)),
        ("pyroma", "--min", "10", "--skip-tests", ",".join(skipped), str(sdist)),
    ):
        subprocess.run(command, check=True)
    print(
        "| Python | extra | install s | demo s | MB | of it bytecode | packages |\n|---|---|---|---|---|---|---|"
    )
    for python in options.pythons:
        for extra in ("", *options.extras):
            found = attempt(python, wheel, extra, lowest=options.lowest)
            print(
                f"| {found.python} | {found.extra} | {found.installed:.1f} | {found.answered:.1f} "
                f"| {found.megabytes:.0f} | {found.bytecode:.0f} | {found.packages} |",
                flush=True,
            )
    return 0


def build(folder: Path) -> tuple[Path, Path]:
    """Build the wheel and the sdist, each twice, the second wheel from the sdist. Raises RuntimeError."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as other:
        wheel, sdist = backend.build_wheel(str(folder)), backend.build_sdist(str(folder))
        backend.build_sdist(other)
        shutil.unpack_archive(folder / sdist, other)
        (unpacked,) = (path for path in Path(other).iterdir() if path.is_dir())
        program = f"import backend; backend.build_wheel({other!r})"
        environment = {**os.environ, "PYTHONPATH": str(unpacked / "building")}
        subprocess.run([sys.executable, "-c", program], cwd=unpacked, check=True, env=environment)
        for name in (wheel, sdist):
            if (folder / name).read_bytes() != (Path(other) / name).read_bytes():
                raise RuntimeError(f"{name} was built twice and is not the same")
    return folder / wheel, folder / sdist


def attempt(python: str, wheel: Path, extra: str, *, lowest: bool) -> Tried:
    """Install the wheel in a new environment, remember and recall with it, and run the demo."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        subprocess.run([python, "-m", "venv", "--without-pip", folder / "environment"], check=True)
        own = folder / "environment" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
        wanted = [f"{wheel}[{extra}]" if extra else str(wheel)]
        if lowest:
            (folder / "lowest.txt").write_text(constraints(), encoding="utf-8")
            wanted += ["--constraint", str(folder / "lowest.txt")]
        pip = (sys.executable, "-m", "pip", "--python", own, "--quiet", "--disable-pip-version-check")
        started = time.monotonic()
        subprocess.run([*pip, "install", "--only-binary", ":all:", *wanted], check=True)
        installed = time.monotonic() - started
        started = time.monotonic()
        for command in (("-c", f"import {MODULES[extra]}\n{_TRIED}"), ("-m", "combray", "demo")):
            subprocess.run([own, *command], check=True, cwd=folder, stdout=subprocess.DEVNULL)
        answered = time.monotonic() - started
        if not extra:
            check_types(own)
        files = [path for path in (folder / "environment").rglob("*") if path.is_file()]
        size, bytecode = (sum(path.stat().st_size for path in each) / 1e6 for each in (files, _compiled(files)))
        packages = len(list((folder / "environment").rglob("*.dist-info")))
        version = subprocess.run(
            [python, "--version"], check=True, capture_output=True, text=True
        ).stdout.split()[1]
    return Tried(version, extra, installed, answered, size, bytecode, packages)


def check_types(python: Path) -> None:
    """Check the types of the examples as a user does: with the installed package, not with the source tree."""
    example = ROOT / "examples" / "support_desk.py"
    with tempfile.TemporaryDirectory() as made:
        shutil.copy(example, made)
        for command in (
            ["mypy", "--strict", "--config-file", os.devnull, "--python-executable", str(python), "."],
            ["pyright", "--pythonpath", str(python), "."],
        ):
            subprocess.run(command, cwd=made, check=True, stdout=sys.stderr)


def _compiled(files: list[Path]) -> list[Path]:
    """Return the bytecode that pip makes at once, and other installers when a module is used."""
    return [path for path in files if path.suffix == ".pyc"]


def constraints() -> str:
    """Return the lowest allowed version of each dependency, direct ones only, as constraints of pip."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    listed = [
        *project["dependencies"],
        *(each for extra in project["optional-dependencies"].values() for each in extra),
    ]
    found = (re.match(r"([\w.-]+)(?:\[\w+\])?>=([\w.]+)", each) for each in listed)
    return "".join(f"{each[1]}=={each[2]}\n" for each in found if each)


if __name__ == "__main__":
    sys.exit(main())
