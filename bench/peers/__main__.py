"""The command: `python -m bench.peers [--sizes 1000 10000] [--only chroma …] [--json OUT] [--front]`.

Makes a virtual environment for each peer, installs the peer's package there with pip, times it, and removes the
environment. `--environments FOLDER` keeps them. A peer that cannot be installed, or fails, is listed with the
reason. `--front` writes the table of the front page, with the commit that was measured.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from typing import Any

import numpy as np

from bench.peers import front
from bench.speed.texts import clauses, questions, sources, texts
from combray import models

PEERS: dict[str, tuple[str, ...]] = {
    "combray": (),
    "fts5": (),
    "chroma": ("chromadb",),
    "langgraph": ("langgraph-checkpoint-sqlite", "numpy", "pysqlite3-binary"),
    "mem0": ("mem0ai",),
    "mempalace": ("mempalace",),
    "txtai": ("txtai",),
    "usearch": ("usearch",),
}
"""Name -> packages. Combray and SQLite run in the present environment."""
ROOT = Path(__file__).resolve().parents[2]
ASKED = 100
INSTALL_SECONDS, RUN_SECONDS = 900, 900


def main(arguments: list[str] | None = None) -> int:
    """Measure every peer at every size; print and write JSON."""
    parser = argparse.ArgumentParser(prog="python -m bench.peers", description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000])
    parser.add_argument("--only", nargs="+", choices=PEERS, default=list(PEERS))
    parser.add_argument("--environments", type=Path, metavar="FOLDER")
    parser.add_argument("--json", type=Path, metavar="OUT")
    parser.add_argument("--front", action="store_true", help="write the table of README.md, of the largest size")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as temporary:
        folder = Path(temporary)
        for size in options.sizes:
            _write_inputs(folder / str(size), size)
        found = [
            {"peer": name, **each}
            for name in options.only
            for each in _measured(
                name, [folder / str(size) for size in options.sizes], options.environments or folder
            )
        ]
    if options.front:
        front.write(found, max(options.sizes))
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    else:
        print(json.dumps(found, indent=1))
    return 0


def _write_inputs(folder: Path, size: int) -> None:
    folder.mkdir(parents=True)
    embedder = models.embedder("wordllama")
    assert embedder is not None
    stored = list(texts(clauses(sources(None)), size))
    asked = questions(stored, ASKED)
    for name, content in (("texts", [each.text for each in stored]), ("questions", asked)):
        (folder / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")
        np.save(folder / f"{name}.npy", embedder.embed(content))


def _measured(name: str, inputs: list[Path], environments: Path) -> list[dict[str, Any]]:
    packages = PEERS[name]
    python, problem = (Path(sys.executable), "") if not packages else _installed(name, packages, environments)
    if problem:
        return [{"problem": problem}]
    results = []
    for each in inputs:
        command = [
            str(python),
            "-m",
            "bench.peers.timed",
            name,
            packages[0] if packages else {"fts5": "sqlite3"}.get(name, name),
            str(each),
        ]
        print(f"{name}, {each.name} memories", file=sys.stderr)
        results.append(_run(command))
    return results


def _installed(name: str, packages: tuple[str, ...], folder: Path) -> tuple[Path, str]:
    """Return the Python of the peer's environment, and why it could not be made, or ""."""
    place = folder / f"venv-{name}"
    python = place / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if python.exists():
        return python, ""
    print(f"installing {', '.join(packages)}", file=sys.stderr)
    venv.create(place, with_pip=True)
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=INSTALL_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return python, f"its installation took longer than {INSTALL_SECONDS} s"
    return python, _last_line(done.stderr) if done.returncode else ""


def _run(command: list[str]) -> dict[str, Any]:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "src")))}
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=RUN_SECONDS, check=False, env=environment, cwd=ROOT
        )
    except subprocess.TimeoutExpired:
        return {"problem": f"took longer than {RUN_SECONDS} s for {Path(command[-1]).name} memories"}
    if done.returncode:
        return {"problem": _last_line(done.stderr)}
    found: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


def _last_line(text: str) -> str:
    return next((line.strip()[:200] for line in reversed(text.splitlines()) if line.strip()), "no message")


if __name__ == "__main__":
    raise SystemExit(main())
