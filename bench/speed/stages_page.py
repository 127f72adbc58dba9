"""The profile as a page of Markdown: tables of stages, and what holds the figures that miss their aim."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

_INTRODUCTION = """# Results: where the time goes

Written by `python -m bench.speed.stages --markdown bench/results/speed-profile.md`; do not edit.

Milliseconds of processor time (not wall time: other programs disturb it least), default preset and embedder, one
thread, on copies of filled stores. Texts are those of [the speed results](speed.md). A stage that contains others
is charged with what they do not take. Stages below one percent of the total are summed as "others". In brackets:
the share of the total, which a busy machine changes less than the milliseconds.
"""
_HELD = Path(__file__).parent / "held.md"
"""What the tables show and what was tried: the part that no program can write."""
_FEW = 0.01


def page(content: Mapping[str, Any]) -> str:
    """Return the page."""
    results = content["results"]
    parts = [_INTRODUCTION, *([content["note"] + "\n"] if content.get("note") else [])]
    for title in results[0]["stages"]:
        columns = [(each["size"], each["stages"][title]) for each in results]
        parts.append(f"## A {title}\n\n{_stages(columns)}")
    parts.append(f"## A cold call\n\n{_steps([(each['size'], each['cold']) for each in results])}")
    parts.append(_HELD.read_text(encoding="utf-8"))
    return "\n".join(parts)


def _stages(columns: Sequence[tuple[int, Mapping[str, float]]]) -> str:
    names = {name for _, found in columns for name in found} - {"all"}
    shown = [name for name in names if any(found.get(name, 0.0) >= _FEW * found["all"] for _, found in columns)]
    shown.sort(key=lambda name: (-columns[-1][1].get(name, 0.0), name))
    rows = [(name, [_share(found.get(name, 0.0), found["all"]) for _, found in columns]) for name in shown]
    hidden = names - set(shown)
    rest = [_share(sum(found.get(name, 0.0) for name in hidden), found["all"]) for _, found in columns]
    every = [_figure(found["all"]) for _, found in columns]
    return _table("stage", [size for size, _ in columns], [*rows, ("others", rest), ("**all**", every)])


def _steps(columns: Sequence[tuple[int, Mapping[str, float]]]) -> str:
    rows = [(name, [_figure(found[name]) for _, found in columns]) for name in columns[0][1]]
    return _table("program", [size for size, _ in columns], rows)


def _table(subject: str, sizes: Sequence[int], rows: Sequence[tuple[str, Sequence[str]]]) -> str:
    lines = [f"| {subject} |{''.join(f' {size:,} |' for size in sizes)}", f"|---|{'---:|' * len(sizes)}"]
    lines += [f"| {name} |{''.join(f' {value} |' for value in values)}" for name, values in rows]
    return "\n".join(lines) + "\n"


def _share(value: float, whole: float) -> str:
    return f"{_figure(value)} ({100 * value / whole:.0f} %)"


def _figure(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"
