#!/usr/bin/env python3
"""From a bare clone, with Python 3.11 or later and nothing else:

python3 run.py demo      set up .venv and run the demo
python3 run.py test      set up .venv with the tools of development, and run every check and test
python3 run.py test --fast  the same, with ruff and the tests that are not slow: at most a minute
python3 run.py test --all   the same, with the tests and suites that the forge runs every night
python3 run.py docs      set up .venv with the tools of development, and build the documentation in build/site
python3 run.py clients   the same, and make the packages for agent clients in clients and build
python3 run.py package   the same, and build, check and try the wheel and the sdist in dist

The first call takes about a minute, later ones start at once.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
SCRIPTS = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = SCRIPTS / ("python.exe" if os.name == "nt" else "python")
STAMP = VENV / "combray-setup.json"
MEMORY = Path("/dev/shm")  # noqa: S108 - pytest makes a folder of its own in it
ROOM = 4 << 30

CHECKS = (
    ("ruff", "check", "."),
    ("ruff", "format", "--check", "."),
    ("mypy",),
    ("lint-imports", "--no-logo"),
    ("python", "-m", "bench.speed.gate"),
    ("python", "-m", "bench.compat", "--quick", "--check"),
    ("python", "-m", "pytest", "-n", "3", "--dist", "worksteal", "-m", "not nightly"),
)
FAST = (*CHECKS[:2], (*CHECKS[-1][:-1], "not slow"))
"""ruff, and the tests that tests/tiers.py does not call slow."""
ALL = (*CHECKS[:-2], ("python", "-m", "bench.compat", "--check"), CHECKS[-1][:-2])
"""Every test, and every suite of the frameworks."""
TIERS = {"--fast": FAST, "--all": ALL}


def main(arguments: list[str]) -> int:
    """Set up and run; the exit code is that of what was run, 2 for bad usage."""
    if sys.version_info < (3, 11):  # noqa: UP036 - the reader's Python, not the project's
        return _refuse(
            f"Combray needs Python 3.11 or later, this is {sys.version.split()[0]}: try python3.11 run.py"
        )
    if arguments[:1] == ["demo"]:
        problem = set_up(dev=False)
        return _refuse(problem) if problem else _call(SCRIPTS / "combray", *arguments)
    if arguments[:1] == ["test"] and (not arguments[1:] or (len(arguments) == 2 and arguments[1] in TIERS)):
        problem = set_up(dev=True)
        return _refuse(problem) if problem else check(TIERS[arguments[1]] if arguments[1:] else CHECKS)
    if arguments == ["docs"]:
        problem = set_up(dev=True)
        return _refuse(problem) if problem else _call(PYTHON, "-m", "pages", "site")
    if arguments == ["clients"]:
        problem = set_up(dev=True)
        return _refuse(problem) if problem else _call(PYTHON, "-m", "pages", "clients")
    if arguments[:1] == ["package"]:
        problem = set_up(dev=True)
        if not problem and _call(*_installer(), "--quiet", *_group("package")):
            problem = "installing the tools failed, see above"
        return _refuse(problem) if problem else _call(PYTHON, "building/release.py", *arguments[1:])
    return _refuse((__doc__ or "").strip())


def check(checks: Sequence[Sequence[str]]) -> int:
    """Run checks, the tests last; 0 when all pass. A failing one does not stop the others."""
    # Three test workers on two cores, of which one often waits for a process: NumPy's own threads would only be
    # in their way.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Without bytecode, each of some hundred processes that the tests start would compile all modules.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    failed, times = [], []
    for command, *options in checks:
        shown = shlex.join((command, *options))
        _say(f"-- {shown}")
        # No test cuts the power, so none can see whether a file has reached a disk: most waits are for that.
        if "pytest" in options and _memory_has_room():
            os.environ.setdefault("TMPDIR", str(MEMORY))
        start = time.monotonic()
        if _call(SCRIPTS / command, *options):
            failed.append(shown)
        times.append(f"{time.monotonic() - start:6.1f} s  {shown}")
    _say("\n".join(times))
    if failed:
        _say(f"failed: {'; '.join(failed)}")
    return 1 if failed else 0


def _memory_has_room() -> bool:
    """Whether there is a file system in memory on which the tests can write, and start what they wrote."""
    try:
        found = os.statvfs(MEMORY)
    except (AttributeError, OSError):  # Windows; macOS and containers without it
        return False
    return not found.f_flag & os.ST_NOEXEC and found.f_bavail * found.f_frsize >= ROOM


def set_up(*, dev: bool) -> str:
    """Make .venv and install the project in it, if that is not done; what went wrong, or ""."""
    wanted = {"place": f"{ROOT} {sys.version}", "project": _fingerprint(), "dev": dev}
    have = _stamp()
    if wanted == have or {**wanted, "dev": True} == have:
        return ""
    _say(f"setting up {VENV.name} …")
    if not _runs(PYTHON, "-c", "") or have.get("place", wanted["place"]) != wanted["place"]:
        pip = ("--without-pip",) if importlib.util.find_spec("ensurepip") is None else ()
        if _call(sys.executable, "-m", "venv", "--clear", *pip, VENV):
            return "Python's venv failed; on Debian and Ubuntu: apt install python3-venv"
    installer = _installer()
    if not installer:
        return "there is no pip and no uv; on Debian and Ubuntu: apt install python3-venv"
    if _call(*installer, "--quiet", "--editable", ROOT, *(_group("dev") if dev else ())):
        return "installing failed, see above; run this again when the cause is gone"
    STAMP.write_text(json.dumps(wanted), encoding="utf-8")
    return ""


def _installer() -> tuple[str | Path, ...]:
    """The environment's own pip, else this Python's, else uv."""
    if _runs(PYTHON, "-m", "pip", "--version"):
        return (PYTHON, "-m", "pip", "install", "--disable-pip-version-check")
    if _runs(sys.executable, "-m", "pip", "--version"):
        return (sys.executable, "-m", "pip", "--python", PYTHON, "install", "--disable-pip-version-check")
    uv = shutil.which("uv")
    return (uv, "pip", "install", "--python", PYTHON) if uv else ()


def _group(name: str) -> list[str]:
    """A group of tools, read here because pip before 25.1 knows no dependency groups."""
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    group: list[str] = project["dependency-groups"][name]
    return group


def _fingerprint() -> str:
    # An install also makes the default embedder's table, by building/table.py.
    files = (ROOT / "pyproject.toml", *sorted((ROOT / "building").glob("*.py")))
    return hashlib.sha256(b"".join(each.read_bytes() for each in files)).hexdigest()


def _stamp() -> dict[str, Any]:
    """What the last finished set-up noted; empty when there was none."""
    try:
        noted: dict[str, Any] = json.loads(STAMP.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return noted if _runs(PYTHON, "-c", "") else {}


def _runs(*command: str | Path) -> bool:
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0  # noqa: S603
    except OSError:
        return False


def _call(*command: str | Path) -> int:
    try:
        return subprocess.run(command, cwd=ROOT, check=False).returncode  # noqa: S603 - our own commands
    except KeyboardInterrupt:
        return 130


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _refuse(text: str) -> int:
    sys.stderr.write(f"{text}\n")
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
