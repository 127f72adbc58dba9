"""The verbs that read memories: `recall`, `search`, `list`, `context`, `think`, and those of two designs' tools,
`memory-search` (OpenClaw) and `search-memory` (Semantic Fact System).
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from combray.interfaces.cli.failures import nothing_found
from combray.interfaces.cli.options import Target, command
from combray.interfaces.cli.output import (
    compact,
    console,
    described,
    for_people,
    full,
    marked,
    memories,
    moment,
    show,
    show_json,
    show_rows,
    styled,
    table,
    visible,
)
from combray.values import not_now, rounded

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from combray.documents.passages import Passages
    from combray.prompt.formats import Format
    from combray.think.thought import Thought
    from combray.types import Answer, Hit, Memory, Step

_MODES = {"extractive": "quoted from memories, no language model", "model": "written by the language model"}
_NUMBERS = re.compile(r"\[(\d{1,4})\]")
_DIGITS = 4
"""Digits of scores in the output."""
_NARROW = 100
"""Columns below which the waterfall's bars get less room."""
_EIGHTHS = " ▏▎▍▌▋▊▉█"


@command(pipelines=True, models=True)
def recall(target: Target, query: str, explain: bool, verbose: bool, **asked: Any) -> None:
    """Print the hits."""
    with target.open() as engine:
        answer = engine.recall(query, **asked)
    plain = answer_as_json(answer, limit=asked["limit"], explain=explain, verbose=verbose)
    _show(target, answer, plain, "no memory matches", explain=explain, verbose=verbose)


@command()
def search(target: Target, query: str, **asked: Any) -> None:
    """Print the hits."""
    with target.open() as engine:
        answer = engine.search(query, **asked)
    plain = [{**compact(hit.memory), **marked(hit), "score": rounded(hit.score, _DIGITS)} for hit in answer]
    _show(target, answer, plain, "no memory contains these words")


def _show(
    target: Target, answer: Answer, plain: Any, none: str, *, explain: bool = False, verbose: bool = False
) -> None:
    """Print the hits for people, or `plain` as JSON. `none`: the reason for an empty answer."""

    show(target, plain, lambda: show_answer(answer, explain=explain, verbose=verbose))
    if not answer:
        nothing_found(answer.reason or none)


@command()
def list_(target: Target, verbose: bool, **asked: Any) -> None:
    """Print a page."""
    with target.open() as engine:
        page = engine.list(**asked)
    shown = [full(each) if verbose else compact(each) for each in page]
    plain = {"memories": shown, "total": page.total, "cursor": page.cursor}
    if verbose:
        show_json(plain)
    else:
        rows = ((moment(each.recorded_at), each) for each in page)
        hint = f"{len(page)} of {memories(page.total)}" + (
            f"; more with --after {page.cursor}" if page.cursor else ""
        )
        headings = ("recorded", "memory")
        show_rows(target, plain, headings, rows, none="No memory matches.", hint=hint, unbroken=("recorded",))
    if not page:
        nothing_found("no memory matches.")


@command(pipelines=True)
def context(target: Target, query: str, format: Format | None, **asked: Any) -> None:
    """Print the text for a prompt."""
    with target.open() as engine:
        made = engine.context(query, format=format or "text", **asked)
    if format and not target.json and not for_people(target):
        click.echo(made.text, nl=bool(made.text))
    elif for_people(target):
        if made.text:
            click.echo(visible(made.text))
        click.echo(f"{made.tokens} of {made.budget} tokens · {made.state}", err=True)
        for each in made.dropped:
            click.echo(f"dropped: {each.id} ({each.tokens} tokens): {each.reason}", err=True)
    else:
        show_json(made)
    if not made.text:
        nothing_found(made.state or "no memory matches")


@command(pipelines=True, models=True)
def think(target: Target, question: str, explain: bool, **asked: Any) -> None:
    """Print the answer with its sources."""
    with target.open() as engine:
        thought = engine.think(question, **asked)
    plain = thought.as_json() | ({"trace": _steps(thought.trace)} if explain else {})
    show(target, plain, lambda: _show_thought(thought, explain=explain))
    if not thought.known:
        nothing_found(thought.reason or "no memory answers this")


def _show_thought(thought: Thought, *, explain: bool) -> None:
    out = console()
    answer = styled(visible(thought.answer))
    answer.highlight_regex(r"\[\d+\]", "cyan")
    out.print(answer)
    if thought.citations:
        out.print()
    # A quoted sentence may name another source: "later, may replace [2]".
    named = (
        int(digits) for digits in _NUMBERS.findall(thought.answer) if 0 < int(digits) <= len(thought.sources)
    )
    for number in dict.fromkeys([each.number for each in thought.citations] + sorted(named)):
        memory = thought.sources[number - 1].memory
        parts = (memory.author and visible(memory.author), moment(memory.moment), memory.id)
        out.print(styled(f"[{number}] ", "cyan").append(" · ".join(part for part in parts if part), "dim"))
    if thought.known:  # otherwise the reason follows on standard error
        how = " · ".join(part for part in (_MODES.get(thought.mode, ""), visible(thought.reason)) if part)
        out.print(styled(how, "dim"))
    if explain:
        for each in thought.dropped:
            out.print(styled("rejected: ", "yellow").append(f"{visible(each.sentence)} ({visible(each.reason)})"))
        if thought.trace:
            out.print(waterfall(thought.trace, out.width))


def _steps(trace: Sequence[Step]) -> list[dict[str, object]]:
    return [
        {
            "stage": step.stage,
            "before": step.before,
            "after": step.after,
            "milliseconds": round(step.milliseconds, 3),
        }
        for step in trace
    ]


def answer_as_json(answer: Answer, *, limit: int, explain: bool, verbose: bool) -> dict[str, Any]:
    """Return Mnemon's format: `results` with `insight`, `score`, `intent`, `via`, `signals`; and `meta`."""
    meta = {
        "intent": answer.intent,
        "intent_source": answer.intent_source,
        "anchor_count": answer.details.get("anchor_count", 0),
        "reason": answer.reason,
        "preset": answer.preset,
        **{name: value for name, value in answer.details.items() if value not in ((), [], {}, "", None)},
    }
    if len(answer) < limit // 2:
        meta["hint"] = "sparse_results"
    shown: dict[str, Any] = {
        "results": [
            {
                "insight": full(hit.memory) if verbose else compact(hit.memory),
                "score": rounded(hit.score, _DIGITS),
                "intent": answer.intent,
                "via": hit.via,
                **marked(hit),
                "signals": {name: rounded(value, _DIGITS) for name, value in hit.signals.items()},
            }
            for hit in answer
        ],
        "meta": meta,
    }
    if explain:
        steps = zip(_steps(answer.trace), answer.trace, strict=True)
        shown["trace"] = [shown_step | {"note": step.note} for shown_step, step in steps]
    return shown


@command(pipelines=True)
def memory_search(target: Target, query: str, **asked: Any) -> None:
    """Print the passages."""
    with target.open(to_write=True) as engine:
        found = engine.documents.search(query, **asked)
    show(target, found.as_json(), lambda: _show_passages(found))
    if not found:
        nothing_found(found.reason or "no passage matches")


def _show_passages(found: Passages) -> None:
    out = console()
    for each in found:
        out.print(f"{visible(each.citation)}  {each.score:.2f}", style="bold", markup=False, highlight=False)
        for line in each.snippet.splitlines():
            out.print(f"  {visible(line)}", markup=False, highlight=False)
    if found.warning:
        out.print(visible(found.warning), style="yellow", markup=False)
    if found:
        out.print(visible(found.reason), style="dim", markup=False)


@command(pipelines=True)
def search_memory(target: Target, query: str, **asked: Any) -> None:
    """Print the memories."""
    with target.open() as engine:
        answer = engine.search_memory(query, **asked)
    plain = [
        {
            "id": hit.memory.id,
            "text": hit.memory.content,
            "confidence": hit.memory.confidence,
            "timestamp": hit.memory.moment,
            "kind": hit.memory.kind,
            "score": rounded(hit.score, _DIGITS),
        }
        for hit in answer
    ]
    _show(target, answer, plain, "no memory matches")


def show_answer(answer: Answer, *, explain: bool, verbose: bool, out: Console | None = None) -> None:
    """Print the hits as a table, then the reason and the stages."""
    out = out or console()
    if answer:
        shown = table("#", "score", "memory", unbroken=("#", "score"))
        places = {hit.memory.id: place for place, hit in enumerate(answer, start=1)}
        for place, hit in enumerate(answer, start=1):
            body = styled(visible(hit.memory.content))
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
        out.print(styled(summary + (f" · {visible(answer.reason)}" if answer.reason else ""), "dim"))
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
    return styled(" · ".join(f"{name} {visible(value)}" for name, value in facts.items() if value), "dim italic")


def waterfall(trace: tuple[Step, ...], width: int) -> Table:
    """Return a table of the stages: hits before and after, milliseconds, and a bar on a common time axis."""
    shown = table("stage", "hits", "ms", "when it ran", unbroken=("stage", "hits", "ms"))
    room = 24 if width < _NARROW else 44
    total = sum(step.milliseconds for step in trace) or 1.0
    started = 0.0
    for step in trace:
        bar = styled(_bar(started / total, step.milliseconds / total, room), "cyan")
        if step.note:
            bar.append(f"\n{visible(step.note)}", "yellow")
        hits = f"{step.before:>4} → {step.after}"
        shown.add_row(step.stage, hits, f"{step.milliseconds:8.2f}", bar)
        started += step.milliseconds
    shown.add_row(styled("all", "bold"), "", styled(f"{total:8.2f}", "bold"), "")
    return shown


def _bar(start: float, share: float, room: int) -> str:
    """Return a bar for `share` of the width from `start` on, at least an eighth of a cell."""
    eighths = max(1, round(share * room * 8))
    whole, part = divmod(eighths, 8)
    return " " * min(int(start * room), room - 1) + "█" * whole + _EIGHTHS[part].strip()
