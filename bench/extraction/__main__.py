"""The command: `python -m bench.extraction [--turns N] [--every N]`."""

from __future__ import annotations

import argparse

from bench.extraction.measuring import measure, rows


def main(arguments: list[str] | None = None) -> int:
    """Print what became of every turn, fact, call and token."""
    made = argparse.ArgumentParser(prog="python -m bench.extraction", description=__doc__)
    made.add_argument("--turns", type=int, default=1000)
    made.add_argument("--every", type=int, default=20, help="one of so many calls fails")
    options = made.parse_args(arguments)
    for name, figures in rows(measure(options.turns, options.every)):
        print(f"{name:28}{figures}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
