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

MARKS = ("<!-- measured -->", "<!-- end of what was measured -->")
"""The lines of a page between which its tables stand."""


class PageError(ValueError):
    """A page that has no place for tables."""


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


def around(path: Path) -> tuple[str, str]:
    """What a page has before and after the place of its tables. Raises PageError when it has no such place."""
    if not path.exists():
        return "", "\n"
    before, found, rest = path.read_text(encoding="utf-8").partition(MARKS[0])
    _, ended, after = rest.partition(MARKS[1])
    if not found or not ended:
        raise PageError(f"{path} has no place for tables: between the lines {MARKS[0]} and {MARKS[1]}.")
    return before, after


def write_markdown(path: Path, results: Sequence[Result]) -> None:
    """A table a set, in per cent, between the marks of a page, or as a new page."""
    before, after = around(path)
    names = list(dict.fromkeys(result.questions for result in results))
    tables = [_markdown([each for each in results if each.questions == name]) for name in names]
    path.write_text(before + "\n\n".join([MARKS[0], *tables, MARKS[1]]) + after, encoding="utf-8")


def _markdown(results: Sequence[Result]) -> str:
    first = results[0]
    categories = sorted(set(first.categories))
    parts = [f"{each} ({first.categories.count(each)})" for each in categories] if len(categories) > 1 else []
    heads = ["system", "@5", "@10", "@10, 95 %", "@20", "@50", "MRR", "nothing", "p50 ms", *parts]
    lines = [
        f"**{first.questions}**: {len(first.rows)} questions, {first.items} memories.",
        "",
        f"| {' | '.join(heads)} |",
        "|" + "---|" * len(heads),
    ]
    for result in results:
        overall, by = result.overall(), result.by_category()
        five, ten, twenty, fifty = (overall[f"recall@{cut}"] for cut in (5, 10, 20, 50))
        cells = [
            result.system,
            f"{100 * five['mean']:.1f}",
            f"**{100 * ten['mean']:.1f}**",
            f"{100 * ten['low']:.1f}-{100 * ten['high']:.1f}",
            *(f"{100 * each['mean']:.1f}" for each in (twenty, fifty, overall["mrr@10"])),
            str(result.refused),
            f"{result.as_json()['milliseconds_p50']:.1f}",
            *(f"{100 * by[each]['recall@10']['mean']:.1f}" for each in categories if parts),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


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
