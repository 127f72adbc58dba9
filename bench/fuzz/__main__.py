"""The command: `python -m bench.fuzz TARGET|all|list --seconds N [--seed N] [--keep FOLDER] [--input FILE]`."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from bench.fuzz import guided, mutating
from bench.fuzz.judging import Judge
from bench.fuzz.target import Target
from bench.fuzz.targets import TARGETS


def parser() -> argparse.ArgumentParser:
    """The options."""
    made = argparse.ArgumentParser(prog="python -m bench.fuzz", description=__doc__)
    made.add_argument("target", choices=["all", "list", *TARGETS], metavar="TARGET", nargs="+")
    made.add_argument("--seconds", type=int, default=60, help="for each target")
    made.add_argument("--seed", type=int, default=0)
    made.add_argument("--keep", type=Path, metavar="FOLDER", help="corpora, logs and findings (default: dropped)")
    made.add_argument(
        "--input", type=Path, metavar="FILE", help="judge this one input again, without instruments"
    )
    made.add_argument("--plain", action="store_true", help="not with Atheris, even if it is installed")
    return made


def attack(target: Target, seconds: int, folder: Path, seed: int, *, plain: bool) -> dict[str, object]:
    """Fuzz one target; what was found lies in the folder, as figures in the answer."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "findings.jsonl").unlink(missing_ok=True)
    if guided.available() and not plain:
        engine, ran = "atheris", guided.run(target, seconds, folder, seed)
    else:
        work = folder / "work"
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir()
        judge = Judge(target, target.open(work), folder)
        engine, ran = "mutating", mutating.run(target, seconds, judge, seed)
    kept = folder / "findings.jsonl"
    findings = [json.loads(line) for line in kept.read_text().splitlines()] if kept.exists() else []
    confirmed = [each for each in findings if again(target, folder / f"{each['input']}.input", folder)]
    return {
        "target": target.name,
        "engine": engine,
        "seconds": seconds,
        **asdict(ran),
        "findings": confirmed,
        "only_under_instruments": [each["kind"] for each in findings if each not in confirmed],
    }


def again(target: Target, path: Path, folder: Path) -> list[str]:
    """Kinds of findings of one stored input, judged here and without instruments; figures on stderr."""
    place = folder / "again"
    (place / "work").mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=place / "work") as work:
        judge = Judge(target, target.open(Path(work)), place)
        data = path.read_bytes()
        for _ in range(2):
            judge(data)
    print(f"{target.name} {path.name}: {sorted(judge.found)}, {judge.slowest:.2f} s", file=sys.stderr)
    return sorted(judge.found)


def main() -> int:
    """1 when something was found."""
    options = parser().parse_args()
    names = [*TARGETS] if {"all", "list"} & set(options.target) else options.target
    if "list" in options.target:
        print("\n".join(f"{name:14} {TARGETS[name].about}" for name in names))
        return 0
    found = False
    with tempfile.TemporaryDirectory() as scratch:
        for name in names:
            folder = (options.keep or Path(scratch)) / name
            if options.input:
                folder.mkdir(parents=True, exist_ok=True)
                found |= bool(again(TARGETS[name], options.input, folder))
                continue
            done = attack(TARGETS[name], options.seconds, folder, options.seed, plain=options.plain)
            print(json.dumps(done), flush=True)
            found |= bool(done["findings"] or done["crashed"])
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
