"""Results as tables in the terminal, as JSON, and as a picture."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from rich.console import Console
from rich.table import Table

from bench.quality.measuring import Result

_COLUMNS = ("recall@5", "recall@10", "recall@20", "recall@50", "hit@10", "mrr@10", "ndcg@10", "all@10")


class Reported(Protocol):
    """Anything that can be written as JSON."""

    def as_json(self) -> dict[str, Any]:
        """Plain values only."""
        ...


def show(console: Console, results: Sequence[Result]) -> None:
    """One table of measures and one of recall@10 by category, in per cent, for one set."""
    first = results[0]
    table = Table(title=f"{first.questions}: {len(first.rows)} questions, {first.items} items", min_width=60)
    table.add_column("system", no_wrap=True)
    for column in (*_COLUMNS, "95 % @10", "p50 ms"):
        table.add_column(column, justify="right", no_wrap=True)
    for result in results:
        overall = result.overall()
        ten = overall["recall@10"]
        table.add_row(
            result.system,
            *(f"{100 * overall[column]['mean']:.1f}" for column in _COLUMNS),
            f"{100 * ten['low']:.1f}-{100 * ten['high']:.1f}",
            f"{result.as_json()['milliseconds_p50']:.1f}",
        )
    console.print(table)
    categories = sorted(set(first.categories))
    if len(categories) > 1:
        console.print(_by_category(results, categories))


def _by_category(results: Sequence[Result], categories: Sequence[str]) -> Table:
    table = Table(title="recall@10 by category", min_width=60)
    table.add_column("system", no_wrap=True)
    for category in categories:
        table.add_column(f"{category} ({results[0].categories.count(category)})", justify="right")
    for result in results:
        parts = result.by_category()
        table.add_row(result.system, *(f"{100 * parts[each]['recall@10']['mean']:.1f}" for each in categories))
    return table


def write_json(path: Path, settings: dict[str, Any], results: Sequence[Reported]) -> None:
    """Settings and results, indented, keys in a fixed order."""
    content = {"settings": settings, "results": [result.as_json() for result in results]}
    path.write_text(json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8")


def plot(path: Path, results: Sequence[Result]) -> None:
    """Bars of recall@10 with 95 % intervals, one panel a set. Needs matplotlib (dependency group bench)."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    names = list(dict.fromkeys(result.questions for result in results))
    tallest = max(sum(result.questions == name for result in results) for name in names)
    figure, axes = pyplot.subplots(
        len(names), 1, figsize=(8, (0.35 * tallest + 1) * len(names)), squeeze=False, layout="constrained"
    )
    for axis, name in zip(axes[:, 0], names, strict=True):
        shown = [result for result in results if result.questions == name][::-1]
        ten = [result.overall()["recall@10"] for result in shown]
        means = [100 * each["mean"] for each in ten]
        reach = [
            [100 * (each["mean"] - each["low"]) for each in ten],
            [100 * (each["high"] - each["mean"]) for each in ten],
        ]
        colours = ["#9aa5b1" if result.plain else "#3566a8" for result in shown]
        axis.barh([result.system for result in shown], means, xerr=reach, color=colours, capsize=2)
        axis.set(title=f"{name} ({len(shown[0].rows)} questions)", xlim=(0, 100), xlabel="recall@10, %")
    figure.savefig(path, dpi=120)
    pyplot.close(figure)
