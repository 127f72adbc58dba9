"""Run the test suites of framework owners on our classes, and each example with only its extra.

python -m bench.compat [--quick] [--check] [NAME …]

A NAME is that of a suite, a framework's extra (all its suites and its example), or `examples`. `--quick` runs
what CI runs. `--check` writes neither results nor page. The exit code is 1 if a test fails without a declared
reason, or an example fails.
"""

from __future__ import annotations

import argparse
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bench.compat import page
from bench.compat.declaration import Suite, examples, suites
from bench.compat.environment import PLACE, FailedError
from bench.compat.running import run, run_example


def main() -> int:
    """Run what is asked for; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.compat", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--quick", action="store_true", help="the suites of CI, and every example")
    parser.add_argument("--check", action="store_true", help="write no results and no page")
    parser.add_argument("names", nargs="*", metavar="NAME")
    asked = parser.parse_args()
    chosen = [each for each in suites() if each.quick or not asked.quick]
    shown = examples()
    if asked.names:
        known = {each.name for each in chosen} | {each.extra for each in chosen} | shown.keys() | {"examples"}
        if unknown := sorted(set(asked.names) - known):
            parser.error(f"{', '.join(unknown)} not found. Choose from: {', '.join(sorted(known))}.")
        chosen = [each for each in chosen if {each.name, each.extra}.intersection(asked.names)]
        shown = {name: path for name, path in shown.items() if {name, "examples"}.intersection(asked.names)}
    PLACE.mkdir(parents=True, exist_ok=True)
    names = [*(each.name for each in chosen), *shown]
    # One job a core of the smallest machine. Each is a process of its own.
    with ThreadPoolExecutor(2) as pool:
        done = [pool.submit(_suite, each, save=not asked.check) for each in chosen]
        done += [pool.submit(_example, name, path) for name, path in shown.items()]
    failed = [name for name, each in zip(names, done, strict=True) if not each.result()]
    if not asked.check:
        page.write()
    if failed:
        print(f"failed: {', '.join(failed)}")
    return 1 if failed else 0


def _suite(suite: Suite, *, save: bool) -> bool:
    try:
        result = run(suite)
    except FailedError as error:
        print(f"{suite.name}: {error}")
        return False
    counts = f"{result.passed} passed, {len(result.failed)} failed, {len(result.skipped)} skipped"
    print(f"{suite.name} {suite.version}: {counts}, {len(result.left_out)} left out, {result.seconds} s")
    for test in result.unexplained:
        print(f"  {test}: {result.said[test]}")
    if save:
        result.save()
    return not result.unexplained


def _example(name: str, path: Path) -> bool:
    start = time.monotonic()
    try:
        said = run_example(name, path)
    except FailedError as error:
        print(f"{path.name}: {error}")
        return False
    print(f"{path.name}: {said.splitlines()[-1]} ({time.monotonic() - start:.1f} s)")
    return True


if __name__ == "__main__":
    sys.exit(main())
