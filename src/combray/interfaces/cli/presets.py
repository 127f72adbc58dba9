"""The verbs of presets: `presets` lists and shows them, `compare` asks several."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import click

from combray.errors import CombrayError, InvalidInputError, PluginError
from combray.interfaces.cli import output
from combray.interfaces.cli.failures import nothing_found
from combray.interfaces.cli.options import Target, command, group, without_store
from combray.interfaces.cli.output import console, for_people, short, show_json, show_rows, table, visible
from combray.records import dataclass
from combray.values import rounded

if TYPE_CHECKING:
    from rich.table import Table

    from combray.engine import Engine
    from combray.types import Answer

_DIGITS = 4
_COLUMN = 12
"""Width of a preset's column: a rank and a score, or a name broken at its hyphen."""
_TEXT = 30
"""Minimum width of the texts; in a narrower terminal the presets are printed one below the other."""


@group("combray presets show mnemon", options=without_store())
def presets(target: Target) -> None:
    """List the presets, or show one stage by stage."""
    from combray.presets import load, names, others

    listed = [{"name": name, "summary": load(name).summary} for name in names()]
    for plugin in others():
        entry = {"name": plugin.name, "summary": "", "package": plugin.package}
        try:
            if plugin.problem:
                raise PluginError(plugin.problem)
            entry["summary"] = load(plugin.name).summary
        except CombrayError as error:
            entry["problem"] = str(error)
        listed.append(entry)
    rows = []
    for each in listed:
        package = f" (package {each['package']})" if "package" in each else ""
        problem = f"not usable: {each['problem']}" if "problem" in each else ""
        rows.append((each["name"], f"{problem or each['summary']}{package}"))
    show_rows(target, listed, ("preset", "what it is"), rows)


@presets.command(examples=("combray presets show mnemon",))
@click.argument("name")
@without_store()
def show(target: Target, name: str) -> None:
    """Show every stage of a preset with its settings."""
    from combray.presets import load

    try:
        preset = load(name)
    except InvalidInputError as error:
        raise click.UsageError(f"preset {name!r} does not exist. {error.remedy}") from None
    pipelines = {"remember": preset.remember.describe(), "recall": preset.recall.describe()}
    if not for_people(target):
        about = {name: getattr(preset, name) for name in ("name", "summary", "source", "notes")}
        show_json(about | pipelines)
        return
    out = console()
    out.print(f"{preset.name}: {preset.summary}", style="bold")
    out.print(preset.source, style="dim")
    for verb, stages in pipelines.items():
        rows = (row for stage in stages for row in _rows(stage, depth=0))
        show_rows(target, None, (verb, "settings", "what it does"), rows)
    for topic, note in preset.notes.items():
        out.print(f"{topic}: {note}", style="dim")


def _rows(stage: dict[str, Any], *, depth: int) -> Iterator[tuple[str, str, str]]:
    settings = "\n".join(f"{name} = {value}" for name, value in stage["settings"].items())
    yield "  " * depth + stage["stage"], settings, stage["summary"]
    for inner in stage.get("stages", ()):
        yield from _rows(inner, depth=depth + 1)


@dataclass(frozen=True, slots=True)
class Compared:
    """One preset's answer, and the milliseconds it took."""

    answer: Answer
    milliseconds: float


@command(pipelines=True, models=True)
def compare(target: Target, query: str, limit: int, presets: list[str] | None) -> None:
    """Print the answers side by side."""
    from combray.presets import names

    known = names()
    for name in presets or ():
        if name not in known:
            raise click.BadParameter(
                f"preset {name!r} does not exist. Use one of {', '.join(known)}.", param_hint="'--presets'"
            )
    if target.preset:
        raise click.UsageError("--preset does not apply to compare. Select presets with --presets A,B.")
    if not query.strip():
        raise click.BadParameter("the query is blank. Give at least one word.", param_hint="'QUERY...'")
    with target.open(read_only=True) as engine:
        compared = ask(engine, query, tuple(dict.fromkeys(presets or known)), limit)
    output.show(target, as_json(query, compared), lambda: show_compared(compared))
    if not any(each.answer for each in compared.values()):
        nothing_found("no preset found a memory: " + next(iter(compared.values())).answer.reason)


def ask(engine: Engine, query: str, presets: tuple[str, ...], limit: int) -> dict[str, Compared]:
    """Return preset -> answer and time, in the given order, after a warm-up run."""
    compared = {}
    for name in presets:
        engine.recall(query, limit=limit, preset=name)
        started = time.perf_counter()
        answer = engine.recall(query, limit=limit, preset=name)
        compared[name] = Compared(answer, (time.perf_counter() - started) * 1000)
    return compared


def places(compared: Mapping[str, Compared]) -> dict[str, dict[str, int]]:
    """Return memory id -> preset -> rank, ordered by number of presets, best rank and id."""
    found: dict[str, dict[str, int]] = {}
    for name, each in compared.items():
        for rank, hit in enumerate(each.answer, start=1):
            found.setdefault(hit.memory.id, {})[name] = rank
    order = sorted(found, key=lambda each: (-len(found[each]), min(found[each].values()), each))
    return {memory_id: found[memory_id] for memory_id in order}


def as_json(query: str, compared: Mapping[str, Compared]) -> dict[str, Any]:
    """Return hits, reason and time of every preset; `shared`: ranks of memories found by more than one preset."""
    presets = {}
    for name, each in compared.items():
        hits = []
        for hit in each.answer:
            signals = {signal: rounded(value, _DIGITS) for signal, value in hit.signals.items()}
            scored = {"score": rounded(hit.score, _DIGITS), "via": hit.via, "signals": signals}
            hits.append({"id": hit.memory.id, **scored, "content": hit.memory.content})
        milliseconds = round(each.milliseconds, 3)
        presets[name] = {"hits": hits, "reason": each.answer.reason, "milliseconds": milliseconds}
    shared = {memory_id: ranks for memory_id, ranks in places(compared).items() if len(ranks) > 1}
    return {"query": query, "presets": presets, "shared": shared}


def show_compared(compared: Mapping[str, Compared]) -> None:
    """Print the table, then the reason and time of each preset."""
    out = console()
    rows = places(compared)
    if rows and out.width >= _TEXT + _COLUMN * len(compared):
        out.print(_side_by_side(compared, rows, out.width))
    elif rows:
        for name, each in compared.items():
            shown = table("#", "score", "memory", "found by", unbroken=("#", "score", "found by"))
            for rank, hit in enumerate(each.answer, start=1):
                by = len(rows[hit.memory.id])
                cells = (str(rank), f"{rounded(hit.score, 3):.3f}", short(hit.memory.content, 160))
                found_by, style = ("this only", "") if by == 1 else (f"{by} presets", "bold")
                shown.add_row(*cells, found_by, style=style)
            out.print(name, style="bold")
            out.print(shown)
    how = table("preset", "ms", "how it answered", unbroken=("preset", "ms"))
    for name, each in compared.items():
        how.add_row(name, f"{each.milliseconds:.1f}", visible(each.answer.reason))
    out.print(how)


def _side_by_side(compared: Mapping[str, Compared], rows: Mapping[str, dict[str, int]], width: int) -> Table:
    """Return a table with a row per memory and a column per preset: rank and score."""
    shown = table("memory", *(name.replace("-", "-\n") for name in compared))
    room = width - _COLUMN * len(compared)
    hits = {hit.memory.id: hit.memory for each in compared.values() for hit in each.answer}
    scores = {name: {hit.memory.id: hit.score for hit in each.answer} for name, each in compared.items()}
    for memory_id, ranks in rows.items():
        cells = (
            f"{ranks[name]:>2}  {rounded(scores[name][memory_id], 3):.3f}" if name in ranks else ""
            for name in compared
        )
        shown.add_row(short(hits[memory_id].content, room), *cells, style="bold" if len(ranks) > 1 else "")
    for column in shown.columns[1:]:
        column.width = _COLUMN - 2
    return shown
