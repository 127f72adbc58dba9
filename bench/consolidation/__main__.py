"""The command: `python -m bench.consolidation [--embedder SPEC]`: false merges on labelled pairs."""

from __future__ import annotations

import argparse

from rich.console import Console
from rich.table import Table

from bench.consolidation import merging


def main(arguments: list[str] | None = None) -> int:
    """Print what is merged of the pairs, rightly and wrongly."""
    made = argparse.ArgumentParser(prog="python -m bench.consolidation", description=__doc__)
    made.add_argument("--embedder", action="append", help="none, wordllama, …; may be given again")
    embedders = made.parse_args(arguments).embedder or ["none", "wordllama"]
    Console().print(_merges([(each, merging.merge(merging.load(), each)) for each in embedders]))
    return 0


def _merges(found: list[tuple[str, merging.Merging]]) -> Table:
    table = Table(title="merges of labelled pairs", min_width=60)
    for column in ("embedder", "pairs", "merged", "wrong", "wrong %", "same, left apart", "others"):
        table.add_column(column, justify="left" if column in ("embedder", "others") else "right")
    for embedder, each in found:
        others = ", ".join(f"{count} {name}" for name, count in sorted(each.others.items()))
        merged, wrong = each.right + len(each.wrong), len(each.wrong)
        share = f"{100 * each.false_share:.1f}"
        table.add_row(embedder, str(each.pairs), str(merged), str(wrong), share, str(len(each.missed)), others)
        for pair in each.wrong:
            table.add_row("", "", "", "", "", "", f"wrong: {pair.first} / {pair.second}")
    return table


if __name__ == "__main__":
    raise SystemExit(main())
