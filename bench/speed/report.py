"""The results as tables in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

Figures = dict[str, Any]


def page(content: Figures) -> str:
    """Return the conditions, then a table a subject, sizes as columns."""
    results: list[Figures] = content["results"]
    parts = [_conditions(content)]
    for title, rows in (
        ("Recall, milliseconds", _asks(results)),
        ("Writes, memories a second", _adds(results)),
        ("Start of the shell, milliseconds", _starts(results)),
        ("Memory and files, megabytes", _memory(results)),
    ):
        parts.append(f"## {title}\n\n{_table(results, rows)}")
    return "\n".join(parts)


def _conditions(content: Figures) -> str:
    said = ", ".join(f"{name} {content[name]}" for name in ("preset", "embedder", "python", "machine", "cores"))
    diff = "without comparing (diff off)" if content["no_diff"] else "each compared with what is stored (diff on)"
    return f"Conditions: {said}; commit {content['commit']}, {content['date']}. Batched writes {diff}.\n"


Row = tuple[str, list[str]]


def _asks(results: Sequence[Figures]) -> Iterable[Row]:
    for name in ("FTS5", "scan", "combray", "combray while written"):
        for part in ("p50", "p95", "p99", "cpu"):
            yield (
                f"{name}, {part if part != 'cpu' else 'CPU p50'}",
                [number(each["asks"].get(name, {}).get(part)) for each in results],
            )
    for floor in ("FTS5", "scan"):
        ratios = [_ratio(each["asks"], "combray", floor) for each in results]
        yield f"CPU p50: combray / {floor}", [number(each) for each in ratios]
    yield "memories a second written meanwhile", [number(each["reached"]) for each in results]
    tails = [each["asks"].get("combray while written") for each in results]
    yield "while written: p99 / p50", [number(each and each["p99"] / each["p50"]) for each in tails]


def _ratio(asks: Figures, mine: str, floor: str) -> float | None:
    return asks[mine]["cpu"] / asks[floor]["cpu"] if floor in asks and mine in asks else None


def _adds(results: Sequence[Figures]) -> Iterable[Row]:
    names = {name: None for each in results for name in each["adds"]}
    for name in sorted(names, key=lambda name: (name.partition(", ")[2], name)):
        for part, what in (("wall", ""), ("cpu", ", a CPU second")):
            yield f"{name}{what}", [number(each["adds"].get(name, {}).get(part)) for each in results]
    for kind in ("batches", "one by one", "2,500 characters"):
        shares = [_share(each["adds"], kind) for each in results]
        yield f"{kind}: combray / FTS5", [number(each) for each in shares]


def _share(adds: Figures, kind: str) -> float | None:
    mine, floor = adds.get(f"combray, {kind}"), adds.get(f"FTS5, {kind}")
    return mine["wall"] / floor["wall"] if mine and floor else None


def _starts(results: Sequence[Figures]) -> Iterable[Row]:
    for name in {name: None for each in results for name in each["starts"]}:
        for part in ("p50", "cpu"):
            shown = part if part != "cpu" else "CPU p50"
            yield f"{name}, {shown}", [number(each["starts"].get(name, {}).get(part)) for each in results]


def _memory(results: Sequence[Figures]) -> Iterable[Row]:
    for processes in (1, 5):
        for part, what in (("resident", "sum of RSS"), ("proportional", "PSS: shared pages once")):
            of: list[Figures] = [
                next((m for m in each["memory"] if m["processes"] == processes), {}) for each in results
            ]
            plural = "es" if processes > 1 else ""
            yield f"{processes} process{plural}, {what}", [number(each.get(part)) for each in of]
    yield "files of the store", [number(each["file"]) for each in results]


def _table(results: Sequence[Figures], rows: Iterable[Row]) -> str:
    head = " | ".join(f"{each['size']:,}" for each in results)
    lines = [f"| | {head} |", f"|---|{'---:|' * len(results)}"]
    lines += [f"| {name} | {' | '.join(values)} |" for name, values in rows if any(values)]
    return "\n".join(lines) + "\n"


def number(value: float | None) -> str:
    """Three significant digits; "" for None."""
    if value is None:
        return ""
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"
