"""The command: `python -m bench.speed [--sizes 1000 10000 100000] [--json OUT]`.

Everything is timed in one run on one thread: set OPENBLAS_NUM_THREADS=1 to hold NumPy to it. The floors are
timed on the same texts and questions, right before the engine. The tables are printed in Markdown.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.quality import loaders
from bench.speed.measuring import Measured, measure
from bench.speed.report import page
from combray import presets
from combray.errors import CombrayError


def parser() -> argparse.ArgumentParser:
    """The options."""
    made = argparse.ArgumentParser(prog="python -m bench.speed", description=__doc__)
    made.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    made.add_argument("--conversations", type=Path, metavar="FOLDER", help="texts from its question sets")
    made.add_argument("--preset", choices=presets.names(), default="default")
    made.add_argument("--embedder", default="wordllama")
    made.add_argument("--no-diff", action="store_true", help="write without looking for duplicates")
    made.add_argument("--seed", type=int, default=0)
    made.add_argument("--folder", type=Path, help="where the stores are made (default: the temporary folder)")
    made.add_argument("--json", type=Path, metavar="OUT")
    return made


def main(arguments: list[str] | None = None) -> int:
    """Measure and report; 2 when a folder or model cannot be had."""
    options = parser().parse_args(arguments)
    try:
        content = _figures(options)
    except (CombrayError, loaders.FormatError, OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    _save(options, content)
    print(page(content))
    return 0


def _figures(options: argparse.Namespace) -> dict[str, Any]:
    def keep(results: Sequence[Measured]) -> None:
        # A run of an hour that is stopped leaves the sizes that it finished.
        _save(options, _content(options, results))

    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        return _content(options, measure(options, Path(folder), keep))


def _save(options: argparse.Namespace, content: dict[str, Any]) -> None:
    if options.json:
        options.json.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def _content(options: argparse.Namespace, results: Sequence[Measured]) -> dict[str, Any]:
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parent,
    )
    return {
        "preset": options.preset,
        "embedder": options.embedder,
        "no_diff": options.no_diff,
        "python": platform.python_version(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "commit": commit.stdout.strip() or "unknown",
        "date": datetime.now(UTC).date().isoformat(),
        "results": [asdict(each) for each in results],
    }


if __name__ == "__main__":
    raise SystemExit(main())
