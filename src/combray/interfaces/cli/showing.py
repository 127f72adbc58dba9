"""An answer in a terminal: hits with their signals, and the stages with their times."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING

from rich.text import Text

from combray.interfaces.cli.output import console, described, moment, table, visible
from combray.values import not_now, rounded

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from combray.types import Answer, Hit, Memory, Step

_NARROW = 100
"""Columns below which the waterfall's bars get less room."""
_EIGHTHS = " ▏▎▍▌▋▊▉█"


def show_answer(answer: Answer, *, explain: bool, verbose: bool, out: Console | None = None) -> None:
    """Print the hits as a table, then the reason and the stages."""
    out = out or console()
    if answer:
        shown = table("#", "score", "memory", unbroken=("#", "score"))
        places = {hit.memory.id: place for place, hit in enumerate(answer, start=1)}
        for place, hit in enumerate(answer, start=1):
            body = Text(visible(hit.memory.content))
            body.append("\n").append_text(described(hit.memory, via=hit.via))
            if mark := _mark(hit, places):
                body.append(f"\n{mark}", "yellow")
            if hit.earlier:
                body.append(f"\n{len(hit.earlier)} earlier of the same slot: {', '.join(hit.earlier)}", "dim")
            if hit.restated_by:
                body.append(f"\nmerged into it: {', '.join(hit.restated_by)}", "dim")
            if explain:
                body.append("\n")
                for name, value in hit.signals.items():
                    body.append(f"{name} ", "dim").append(
                        f"{rounded(value, 2):.2f}  ", "bold" if value > 0 else "dim"
                    )
            if verbose:
                body.append("\n").append_text(_rest(hit.memory))
            shown.add_row(str(place), f"{rounded(hit.score, 3):.3f}", body)
        out.print(shown)
        summary = f"{len(answer)} found · {answer.intent} ({answer.intent_source}) · preset {answer.preset}"
        if "confidence" in answer.details:
            summary += f" · confidence {answer.confidence:.2f}"
        out.print(Text(summary + (f" · {visible(answer.reason)}" if answer.reason else ""), "dim"))
    if explain and answer.trace:
        out.print()
        out.print(waterfall(answer.trace, out.width))


def _mark(hit: Hit, places: Mapping[str, int]) -> str:
    """Return what a reader must know: the hit is outdated, may be, may replace another one, or is not due."""

    def named(memory_id: str) -> str:
        return f"#{places[memory_id]}" if memory_id in places else memory_id

    if hit.outdated_by:
        return f"outdated: replaced by {named(hit.outdated_by)}"
    if hit.may_be_outdated_by:
        return f"may be outdated: see {named(hit.may_be_outdated_by)}"
    if hit.may_replace:
        return f"later, may replace {named(hit.may_replace)}"
    return not_now(hit.memory.valid_from, hit.memory.valid_to, time.time())


def _rest(memory: Memory) -> Text:
    facts = {
        "kind": memory.kind,
        "source": memory.source,
        "session": memory.session,
        "tags": ", ".join(memory.tags),
        "entities": ", ".join(memory.entities),
        "context": memory.context,
        "confidence": f"{memory.confidence:g}",
        "recorded": moment(memory.recorded_at),
    }
    return Text(" · ".join(f"{name} {visible(value)}" for name, value in facts.items() if value), "dim italic")


def waterfall(trace: tuple[Step, ...], width: int) -> Table:
    """Return a table of the stages: hits before and after, milliseconds, and a bar on a common time axis."""
    shown = table("stage", "hits", "ms", "when it ran", unbroken=("stage", "hits", "ms"))
    room = 24 if width < _NARROW else 44
    total = sum(step.milliseconds for step in trace) or 1.0
    started = 0.0
    for step in trace:
        bar = Text(_bar(started / total, step.milliseconds / total, room), "cyan")
        if step.note:
            bar.append(f"\n{visible(step.note)}", "yellow")
        hits = f"{step.before:>4} → {step.after}"
        shown.add_row(step.stage, hits, f"{step.milliseconds:8.2f}", bar)
        started += step.milliseconds
    shown.add_row(Text("all", "bold"), "", Text(f"{total:8.2f}", "bold"), "")
    return shown


def _bar(start: float, share: float, room: int) -> str:
    """Return a bar for `share` of the width from `start` on, at least an eighth of a cell."""
    eighths = max(1, round(share * room * 8))
    whole, part = divmod(eighths, 8)
    return " " * min(int(start * room), room - 1) + "█" * whole + _EIGHTHS[part].strip()
