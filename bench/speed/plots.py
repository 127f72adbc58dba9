"""Draw the figures: `python -m bench.speed.plots FIGURES.json docs/explanation` (needs matplotlib only)."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")
from matplotlib import pyplot as plt

_SYSTEMS = (
    ("FTS5", "#888888"),
    ("scan", "#c08a2e"),
    ("combray", "#1f6f8b"),
    ("combray while written", "#b4443c"),
)


def draw_recall(results: list[dict[str, Any]], path: Path) -> None:
    """Median processor time and 99th percentile of wall time of one question by size, on logarithmic axes."""
    figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
    for name, colour in _SYSTEMS:
        of = [(each["size"], each["asks"][name]) for each in results if name in each["asks"]]
        sizes = [size for size, _ in of]
        axes.plot(sizes, [each["cpu"] for _, each in of], "o-", color=colour, label=f"{name}, CPU p50")
        axes.plot(sizes, [each["p99"] for _, each in of], ":", color=colour, label=f"{name}, wall p99")
    axes.set(xscale="log", yscale="log", xlabel="memories", ylabel="milliseconds of one question")
    _finish(figure, axes, path)


def draw_writes(results: list[dict[str, Any]], path: Path) -> None:
    """Adds a second as the store grows, wall and processor time."""
    figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
    points = [point for each in results for point in each["curve"]]
    for part, colour, label in (("cpu", "#1f6f8b", "a CPU second"), ("wall", "#b4443c", "a second of wall time")):
        axes.plot(
            [size for size, _, _ in points], [rate[part] for *_, rate in points], "o-", color=colour, label=label
        )
    axes.set(xscale="log", xlabel="memories stored", ylabel="batched adds", ylim=(0, None))
    _finish(figure, axes, path)


def _finish(figure: Any, axes: Any, path: Path) -> None:
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
    figure.savefig(path, dpi=130, metadata={"Software": None})
    plt.close(figure)


def main() -> None:
    """Draw both pictures."""
    source, folder = Path(sys.argv[1]), Path(sys.argv[2])
    results = json.loads(source.read_text(encoding="utf-8"))["results"]
    draw_recall(results, folder / "speed-recall.png")
    draw_writes(results, folder / "speed-writes.png")


if __name__ == "__main__":
    main()
