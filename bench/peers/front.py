"""The table of figures on the front page: recall as measured for docs/alternatives.md, times of this run."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "README.md"
_BETWEEN = re.compile(r"(<!-- figures: bench\.peers -->\n).*?(<!-- end of figures -->)", re.DOTALL)
NAMED = {
    "combray": ("**Combray**", "**82.3**"),
    "mempalace": ("MemPalace", "57.3"),
    "txtai": ("txtai, hybrid", "53.7"),
    "mem0": ("mem0, `infer=False`", "44.5"),
    "langgraph": ("LangGraph, SQLite", "44.5"),
    "chroma": ("Chroma", "44.3"),
    "fts5": ("SQLite FTS5 alone", ""),
    "usearch": ("usearch, in memory, no texts", ""),
}
"""Peer -> its name and its recall@10 on held-out conversations (docs/alternatives.md), in order."""


def write(found: Sequence[dict[str, Any]], size: int, page: Path = PAGE) -> None:
    """Write the table between its marks, with the commit."""
    done = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    text = page.read_text(encoding="utf-8")
    made = rf"\g<1>{table(found, size, done.stdout.strip())}\g<2>"
    page.write_text(_BETWEEN.sub(made, text), encoding="utf-8")


def table(found: Sequence[dict[str, Any]], size: int, commit: str) -> str:
    """Return the lines of the table and the sentence below it; a peer that failed has no times."""
    lines = [
        f"| {size:,} texts, same vectors | recall@10, held out | adds/s in batches | one add, ms | search, ms |",
        "|---|--:|--:|--:|--:|",
    ]
    for peer, (name, recall) in NAMED.items():
        (row,) = [each for each in found if each["peer"] == peer and each.get("size", size) == size] or [{}]
        times = ["", "", ""]
        if "adds" in row:
            times = [f"{row['adds']:,.0f}", f"{row['single']:.2g}", f"{row['p50']:.2g}"]
        lines.append(f"| {name} | {recall} | {' | '.join(times)} |")
    below = f"Times: medians, one run of `python -m bench.peers --front` at {commit}, two cores."
    return "\n".join(lines) + f"\n\n{below}\n"
