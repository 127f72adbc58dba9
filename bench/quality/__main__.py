"""The command: `python -m bench.quality [--set NAME[=PATH]] [--embedder SPEC] [--preset NAME] ...`."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from bench.quality import choosing, loaders, measuring, report
from bench.quality.systems import Combray, System, plain_systems
from combray import presets
from combray.errors import CombrayError

EXAMPLES = """examples:
  python -m bench.quality                                   our own sets, every preset, no download
  python -m bench.quality --data FOLDER --set locomo        LoCoMo in FOLDER/locomo/*.json
  python -m bench.quality --set mine=notes.jsonl --embedder none --embedder onnx:MODEL_FOLDER
  python -m bench.quality --set locomo --preset default --without SessionPrior --without AuthorMatch
  python -m bench.quality --set locomo --no-plain --markdown
"""

_WIDE = 200


def parser() -> argparse.ArgumentParser:
    """The options."""
    made = argparse.ArgumentParser(
        prog="python -m bench.quality",
        description="Measure recall on question sets, beside BM25, vectors and their mixture.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("--set", action="append", default=[], metavar="NAME[=PATH]", help="repeatable; default all")
    made.add_argument("--data", metavar="FOLDER", help="public sets (default: COMBRAY_DATA)")
    made.add_argument("--preset", action="append", choices=presets.names(), help="repeatable; default all")
    specs = "none, wordllama, local, onnx:PATH; default the first two"
    made.add_argument("--embedder", action="append", metavar="SPEC", help=specs)
    made.add_argument(
        "--without", action="append", default=[], metavar="STAGE", help="one more run a stage, without it"
    )
    made.add_argument("--together", action="store_true", help="leave all --without stages out in one run")
    made.add_argument("--no-plain", action="store_true", help="skip BM25, dense and hybrid")
    made.add_argument("--limit-questions", type=int, metavar="N", help="at most N questions a set")
    made.add_argument("--json", type=Path, metavar="OUT")
    made.add_argument("--markdown", action="store_true", help="print the tables in Markdown")
    return made


def engines(options: argparse.Namespace) -> list[Combray]:
    """The engines asked for: each preset and embedder, then each ablation of it."""
    found = []
    for preset in options.preset or presets.names():
        for embedder in options.embedder:
            whole = Combray(preset, embedder)
            found.append(whole)
            if options.together and options.without:
                found.append(replace(whole, without=tuple(options.without)))
            else:
                found += [replace(whole, without=(stage,)) for stage in options.without]
    for engine in found:
        engine.loaded()
    return found


def main(arguments: list[str] | None = None) -> int:
    """Measure and report; 2 when a set, stage or model cannot be had."""
    options = parser().parse_args(arguments)
    options.embedder = options.embedder or ["none", "wordllama"]
    try:
        _run(options)
    except (CombrayError, loaders.FormatError, choosing.UnknownSetError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def _run(options: argparse.Namespace) -> None:
    progress = Console(stderr=True)
    # Into a file or a pipe the tables are as wide as they are; in a terminal they must fit.
    console = Console() if Console().is_terminal else Console(width=_WIDE)
    systems: list[System] = [] if options.no_plain else list(plain_systems(options.embedder))
    systems += engines(options)

    def say(line: str) -> None:
        if progress.is_terminal:
            progress.print(line, end="\r", highlight=False, soft_wrap=True)

    results = []
    for each in choosing.chosen(options.set, choosing.data_folder(options.data)):
        found_here = measuring.measure(each.limited(options.limit_questions), systems, say)
        report.show(console, found_here, markdown=options.markdown)
        results += found_here
    for line in measuring.shortfalls(results):
        console.print(f"below a plain system at recall@10: {line}", highlight=False)
    if options.json:
        settings = {name: str(value) for name, value in vars(options).items() if name != "json"}
        report.write_json(options.json, settings, results)


if __name__ == "__main__":
    raise SystemExit(main())
