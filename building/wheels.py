"""`python building/wheels.py`: for which Pythons and platforms every dependency has a wheel, extra by extra.

python building/wheels.py [--extra NAME] [--python VERSION] [--platform NAME]

Each option may be given again. uv resolves the requirements as an installer on that platform would, with wheels
only. Nothing is installed: `building/release.py --try` installs and runs.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1] / "pyproject.toml"
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
PLATFORMS = {
    "Linux x86-64": "x86_64-manylinux_2_28",
    "Linux arm64": "aarch64-manylinux_2_28",
    "Alpine x86-64": "x86_64-unknown-linux-musl",
    "Alpine arm64": "aarch64-unknown-linux-musl",
    "macOS arm64": "aarch64-apple-darwin",
    "macOS x86-64": "x86_64-apple-darwin",
    "Windows x86-64": "x86_64-pc-windows-msvc",
}
"""What the table says -> how uv calls it."""
_AT_ONCE = 4


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; the exit code is 0 if the default install has all wheels everywhere."""
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    added: dict[str, list[str]] = {"": [], **project["optional-dependencies"]}
    made = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    made.add_argument("--extra", dest="extras", action="append", choices=sorted(added))
    made.add_argument("--python", dest="pythons", action="append", choices=PYTHONS)
    made.add_argument("--platform", dest="platforms", action="append", choices=sorted(PLATFORMS))
    options = made.parse_args(arguments)
    platforms, pythons = options.platforms or list(PLATFORMS), options.pythons or list(PYTHONS)
    print(f"| extra | {' | '.join(platforms)} |\n|---|{'---|' * len(platforms)}", flush=True)
    complete = True
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        for extra in options.extras or added:
            wanted = [*project["dependencies"], *added[extra]]
            places = list(product(platforms, pythons))
            found = dict(zip(places, pool.map(lambda place: has_wheels(wanted, *place), places), strict=True))  # noqa: B023
            cells = [
                _range([each for each in pythons if found[platform, each]], pythons) for platform in platforms
            ]
            complete &= bool(extra) or all(found.values())
            print(f"| {f'`{extra}`' if extra else 'none'} | {' | '.join(cells)} |", flush=True)
    return 0 if complete else 1


def has_wheels(requirements: Sequence[str], platform: str, python: str) -> bool:
    """Return whether wheels alone satisfy the requirements there. Raises RuntimeError if uv cannot tell."""
    place = ("--python-platform", PLATFORMS[platform], "--python-version", python)
    command = (sys.executable, "-m", "uv", "pip", "compile", "--quiet", "--only-binary", ":all:", *place, "-")
    done = subprocess.run(command, input="\n".join(requirements), text=True, capture_output=True)
    if done.returncode and "No solution found" not in done.stderr:
        raise RuntimeError(f"uv failed for {platform}, Python {python}: {done.stderr.strip()}")
    return not done.returncode


def _range(found: Sequence[str], all_of: Sequence[str]) -> str:
    if not found:
        return "none"
    whole = list(all_of[all_of.index(found[0]) : all_of.index(found[-1]) + 1])
    if list(found) != whole:
        return ", ".join(found)
    return found[0] if len(found) == 1 else f"{found[0]} to {found[-1]}"


if __name__ == "__main__":
    sys.exit(main())
