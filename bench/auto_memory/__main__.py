"""The command: `python -m bench.auto_memory [--part tuning|held] [--wrong]`."""

from __future__ import annotations

import argparse

from rich.console import Console
from rich.table import Table

from bench.auto_memory.measuring import Judged, judge, messages, score


def main(arguments: list[str] | None = None) -> int:
    """Precision and recall by language and by kind, of each part."""
    made = argparse.ArgumentParser(prog="python -m bench.auto_memory", description=__doc__)
    made.add_argument("--part", choices=("tuning", "held"), action="append")
    made.add_argument("--wrong", action="store_true", help="list what was kept wrongly or missed")
    options = made.parse_args(arguments)
    console = Console()
    judged = judge(messages())
    for part in options.part or ("tuning", "held"):
        mine = [each for each in judged if each.message.part == part]
        console.print(_table(f"{part}: {len(mine)} messages", mine))
        for each in mine if options.wrong else []:
            if each.message.save != bool(each.savings):
                kept = "; ".join(saving.text for saving in each.savings) or "nothing"
                console.print(
                    f"  [{each.message.lang}, {each.message.kind}] {each.message.text} -> {kept}",
                    markup=False,
                    highlight=False,
                )
    return 0


def _table(title: str, judged: list[Judged]) -> Table:
    shown = Table(title=title, min_width=70)
    for column in ("", "messages", "kept", "wrongly", "missed", "precision %", "recall %"):
        shown.add_column(column, justify="right" if column else "left")
    groups = {lang: [each for each in judged if each.message.lang == lang] for lang in ("en", "vi", "zh")}
    kinds = dict.fromkeys(each.message.kind for each in judged)
    groups |= {kind: [each for each in judged if each.message.kind == kind] for kind in kinds}
    for name, group in {**groups, "all": judged}.items():
        counts = score(group)
        due = any(each.message.save for each in group)
        shown.add_row(
            name,
            str(len(group)),
            str(counts.kept + counts.wrong),
            str(counts.wrong),
            str(counts.missed),
            f"{100 * counts.precision:.1f}" if counts.kept + counts.wrong else "·",
            f"{100 * counts.recall:.1f}" if due else "·",
        )
    return shown


if __name__ == "__main__":
    raise SystemExit(main())
