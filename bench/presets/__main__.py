"""The command: `python -m bench.presets FILE [--half odd|even] [--preset NAME] [--embedder SPEC]`.

FILE is JSON: `memories` (id, content, author, date), `answerable` (query, gold) and `unanswerable` (query, near).
`near` marks questions whose words or names occur in the memories.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from bench.quality import metrics
from bench.quality.sets import Collection, Item
from bench.quality.systems import Combray
from combray import presets

HALVES = {"all": slice(None), "odd": slice(1, None, 2), "even": slice(0, None, 2)}
"""By place in the file, from 0. Bounds were chosen on the odd ones."""


def collection(data: dict[str, Any]) -> Collection:
    """The memories of a file as one store."""
    items = (
        Item(each["id"], each["content"], each.get("author"), None, _moment(each.get("date")))
        for each in data["memories"]
    )
    return Collection("presets", tuple(items), ())


def _moment(date: str | None) -> datetime | None:
    return datetime.fromisoformat(date).replace(tzinfo=UTC) if date else None


def row(data: dict[str, Any], preset: str, embedder: str, half: slice) -> list[str]:
    """Preset, embedder, empty % (all, near, far) and recall@10 of the answerable questions."""
    asked = Combray(preset, embedder).fill(collection(data))
    try:
        empty = [(each["near"], not asked.ask(each["query"]).refs) for each in data["unanswerable"][half]]
        found = [
            metrics.recall(asked.ask(each["query"]).refs, frozenset(each["gold"]), 10)
            for each in data["answerable"][half]
        ]
    finally:
        asked.close()
    kinds = [
        [got for near, got in empty],
        [got for near, got in empty if near],
        [got for near, got in empty if not near],
    ]
    shares = [*(float(np.mean(each)) if each else float("nan") for each in kinds), float(np.mean(found))]
    return [preset, embedder, *(f"{100 * share:.0f}" for share in shares)]


def main(arguments: Sequence[str] | None = None) -> None:
    """Print one line a preset and embedder."""
    parser = argparse.ArgumentParser(prog="python -m bench.presets", description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--half", choices=HALVES, default="all")
    parser.add_argument("--preset", action="append", choices=presets.names())
    parser.add_argument("--embedder", action="append")
    options = parser.parse_args(arguments)
    data = json.loads(options.file.read_text(encoding="utf-8"))
    table = Table(title=f"{options.file.stem}: {options.half} questions")
    for name in ("preset", "embedder", "empty %", "near", "far", "recall@10"):
        table.add_column(name)
    for preset in options.preset or presets.names():
        for embedder in options.embedder or ["none", "wordllama"]:
            table.add_row(*row(data, preset, embedder, HALVES[options.half]))
    Console().print(table)


if __name__ == "__main__":
    main()
