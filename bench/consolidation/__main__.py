"""The command: `python -m bench.consolidation [--data FOLDER] [--embedder SPEC]`."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from bench.consolidation import merging, simulating
from bench.quality.loaders import load


def main(arguments: list[str] | None = None) -> int:
    """Merges on labelled pairs; with a folder of data, nights over LoCoMo."""
    made = argparse.ArgumentParser(prog="python -m bench.consolidation", description=__doc__)
    made.add_argument("--data", type=Path, default=os.environ.get("COMBRAY_DATA"))
    made.add_argument("--embedder", action="append", help="none, wordllama, …; may be given again")
    made.add_argument("--conversations", type=int, default=5)
    options = made.parse_args(arguments)
    embedders = options.embedder or ["none", "wordllama"]
    shown = Console()
    shown.print(_merges([(each, merging.merge(merging.load(), each)) for each in embedders]))
    if options.data is not None:
        file = next(iter(sorted((Path(options.data) / "locomo").glob("*.json"))))
        collections = load("locomo", file).collections[: options.conversations]
        for each in embedders:
            shown.print(_nights(each, [simulating.simulate(one, each) for one in collections]))
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


def _nights(embedder: str, found: list[simulating.Nights]) -> Table:
    table = Table(title=f"a consolidation every night, {embedder}")
    for column in (
        "conversation",
        "turns",
        "nights",
        *("distilled", "support", "merged", "superseded", "halved", "deprecated", "judge"),
        *("seconds", "longest", "recall@10 before", "after", "tokens before", "after"),
    ):
        table.add_column(column, justify="right")
    for each in found:
        names = ("distil", "support", "merge", "supersede", "halve", "deprecate")
        table.add_row(
            each.name,
            str(each.turns),
            str(each.runs),
            *(str(each.counts[name]) for name in names),
            str(each.waiting),
            f"{each.seconds:.1f}",
            f"{each.longest:.2f}",
            f"{100 * np.mean(each.recall_before):.2f}",
            f"{100 * np.mean(each.recall_after):.2f}",
            f"{np.mean(each.tokens_before):.0f}",
            f"{np.mean(each.tokens_after):.0f}",
        )
    before = [value for each in found for value in each.recall_before]
    after = [value for each in found for value in each.recall_after]
    gained = simulating.points(before, after)
    table.caption = (
        f"{len(before)} questions: {100 * np.mean(before):.2f} → {100 * np.mean(after):.2f} ({gained:+.2f})"
    )
    return table


if __name__ == "__main__":
    raise SystemExit(main())
