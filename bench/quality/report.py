"""Results as tables, in the terminal or in Markdown, and as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.quality.measuring import Result

COLUMNS = ("system", "@5", "@10", "@10, 95 %", "@20", "@50", "hit@10", "MRR", "nDCG", "all@10", "empty", "p50 ms")


def rows(results: Sequence[Result]) -> list[list[str]]:
    """Return the heads and a line a system, in per cent: measures, then recall@10 by category."""
    categories = sorted(set(results[0].categories))
    parts = [f"{each} ({results[0].categories.count(each)})" for each in categories if len(categories) > 1]
    lines = [[*COLUMNS, *parts]]
    for result in results:
        overall, by = result.overall(), result.by_category()
        ten = overall["recall@10"]
        names = ("recall@20", "recall@50", "hit@10", "mrr@10", "ndcg@10", "all@10")
        lines.append(
            [
                result.system,
                f"{100 * overall['recall@5']['mean']:.1f}",
                f"{100 * ten['mean']:.1f}",
                f"{100 * ten['low']:.1f}-{100 * ten['high']:.1f}",
                *(f"{100 * overall[name]['mean']:.1f}" for name in names),
                str(result.refused),
                f"{result.as_json()['milliseconds_p50']:.1f}",
                *(f"{100 * by[each]['recall@10']['mean']:.1f}" for each in categories if parts),
            ]
        )
    return lines


def show(console: Console, results: Sequence[Result], *, markdown: bool = False) -> None:
    """Print the table of one set."""
    heads, *lines = rows(results)
    title = f"{results[0].questions}: {len(results[0].rows)} questions, {results[0].items} items"
    if markdown:
        print(f"\n{title}\n")
        for line in (heads, ["---"] * len(heads), *lines):
            print(f"| {' | '.join(line)} |")
        return
    table = Table(title=title)
    for column in heads:
        table.add_column(column, justify="left" if column == "system" else "right", no_wrap=True)
    for line in lines:
        table.add_row(*line)
    console.print(table)


def write_json(path: Path, settings: dict[str, Any], results: Sequence[Result]) -> None:
    """Settings and results, indented, keys in a fixed order."""
    content = {"settings": settings, "results": [result.as_json() for result in results]}
    path.write_text(json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8")
