"""The verb `remember`: one text, or the lines of a file."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from combray.errors import InvalidInputError
from combray.interfaces.cli.failures import verb
from combray.interfaces.cli.files import lines_of, text_of
from combray.interfaces.cli.options import Target, comma_list, entity_list, opens_store
from combray.interfaces.cli.output import (
    ACTION_COLOURS,
    console,
    for_people,
    moment,
    progress,
    short,
    show_json,
    visible,
)
from combray.types import CATEGORIES, TIERS

if TYPE_CHECKING:
    from combray.engine import Engine
    from combray.types import Remembered

_SUGGESTIONS = 3
_WORDS = {"untrusted": "added as untrusted"}
"""Words for what became of a text, where its name alone would mislead."""


@verb(
    'combray remember "We chose PostgreSQL" --cat decision --imp 5 --entities PostgreSQL',
    "git log -1 --format=%B | combray remember - --source agent",
    "combray remember --file notes.txt",
)
@click.argument("text", nargs=-1)
@click.option(
    "--file",
    type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path),
    help="Remember every line of a file (- is standard input).",
)
@click.option("--category", "--cat", type=click.Choice(CATEGORIES), default="general", help="Category.")
@click.option("--importance", "--imp", type=click.IntRange(1, 5), default=3, help="1 to 5.")
@click.option(
    "--entities",
    callback=entity_list,
    metavar="A,B=C|D",
    help="Entities, in addition to those found in the text; aliases after =, such as Kubernetes=k8s|kube.",
)
@click.option("--tags", callback=comma_list, metavar="A,B", help="Labels.")
@click.option("--source", default="user", help="Where it comes from: user, agent, external, …")
@click.option("--author", help="Who said it.")
@click.option("--occurred-at", "--at", metavar="WHEN", help='When it happened: 2026-03-01, "3 days ago", …')
@click.option(
    "--tier", type=click.Choice(TIERS), help="How it ages in preset mnemo, until use moves it; default: working."
)
@click.option("--session", help="The conversation it belongs to.")
@click.option(
    "--supersedes",
    multiple=True,
    metavar="ID",
    help="Mark this memory superseded by the new one; repeatable.",
)
@click.option(
    "--keep-both", multiple=True, metavar="ID", help="This memory holds beside the new one; repeatable."
)
@click.option(
    "--slot", metavar="NAME", help="What the text is a value of: ana.city. A newer value supersedes an older one."
)
@click.option("--no-diff", is_flag=True, help="Store without looking for duplicates and updates.")
@opens_store(pipelines=True)
def remember(target: Target, text: tuple[str, ...], file: Path | None, no_diff: bool, **fields: Any) -> None:
    """Remember a text, unless it duplicates a known memory.

    TEXT "-" reads standard input. The output reports whether the text was added, superseded an older memory
    (which can be restored), or was skipped as a duplicate. If it may change earlier memories, a terminal asks
    about each, and JSON lists them in may_revise: settle them with 'combray settle'.
    """
    if bool(text) == bool(file):
        raise click.UsageError("remember needs one text. Give TEXT, - for standard input, or --file FILE.")
    if file is not None:
        lines = lines_of(file)
        with target.open(to_write=True) as engine:
            _remember_lines(engine, lines, fields, diff=not no_diff, people=for_people(target))
        return
    content = text_of(text)
    with target.open(to_write=True) as engine:
        done = engine.remember(content, diff=not no_diff, **fields)
        if not for_people(target):
            show_json(done.as_json())
            return
        _show(done)
        if done.may_revise:
            _ask(target, engine, done)


def _ask(target: Target, engine: Engine, done: Remembered) -> None:
    from combray.interfaces.cli.settling import ask, can_ask, questions_of

    console().print("This may change:", style="yellow")
    if can_ask(target):
        ask(engine, questions_of(done))
        return
    for each in done.may_revise:
        said = f"  {moment(each.at)}  {short(each.content)}\n    combray settle {done.id} {each.id} VERDICT"
        console().print(said, soft_wrap=True)


def _remember_lines(
    engine: Engine, lines: list[tuple[int, str]], fields: dict[str, Any], *, diff: bool, people: bool
) -> None:
    stored = 0

    def report(done: int) -> None:
        nonlocal stored
        stored = done
        step(done)

    with progress("Remembering", len(lines)) as step:
        try:
            items: Any = ({"content": line, **fields} for _, line in lines)
            done = engine.remember_many(items, diff=diff, progress=report)
        except InvalidInputError as error:
            if error.field != "content":
                raise
            again = "Earlier lines are stored. Fix the file and run the command again; duplicates are skipped."
            raise InvalidInputError(
                f"a line from {lines[stored][0]} on", error.problem, f"{error.remedy} {again}"
            ) from error
    counts = Counter(each.action for each in done)
    usual = {action: counts.get(action, 0) for action in ("added", "replaced", "skipped")}
    summary = usual | {action: counts[action] for action in ("untrusted", "quarantined") if counts[action]}
    if people:
        parts = ", ".join(f"{count} {action}" for action, count in summary.items() if count)
        console().print(f"Remembered {len(done)} lines: {parts or 'nothing to do'}.")
        if asking := sum(1 for each in done if each.may_revise):
            console().print(f"{asking} may change earlier memories: combray review --changes")
        return
    results = [_as_json(each) for each in done]
    show_json({**summary, "results": results})


def _as_json(done: Remembered) -> dict[str, Any]:
    asked = {"may_revise": [each.as_json() for each in done.may_revise]} if done.may_revise else {}
    decided = {"action": done.action, "diff_suggestion": done.diff_suggestion, "replaced_id": done.replaced_id}
    return {"id": done.id, **decided, **asked}


def _show(done: Remembered) -> None:
    from rich.text import Text

    from combray.engine.graph import worth_linking

    out = console()
    became = Text(_WORDS.get(done.action, done.action), ACTION_COLOURS[done.action])
    out.print(Text.assemble(became, "  ", (done.id, "dim")))
    if done.reason:
        out.print(f"  {visible(done.reason)}")
    if done.replaced_id:
        out.print(f"  supersedes {done.replaced_id} (undo with combray restore)")
    edges = ", ".join(f"{count} {kind}" for kind, count in done.edges_created.items() if count)
    if edges:
        out.print(f"  edges: {edges}")
    for warning in done.quality_warnings:
        out.print(Text(f"  note: {warning}", "yellow"))
    for candidate in worth_linking(done)[:_SUGGESTIONS]:
        # Without vectors a similarity is one of words, and has no cosine.
        cosine = candidate.get("cosine")
        similar = "similar" if cosine is None else f"similar, {cosine:.2f}"
        sign = candidate.get("suggested_sub_type") or similar
        out.print(f"  maybe related ({sign}): {short(str(candidate['content']))}", style="dim", no_wrap=True)
    if done.auto_pruned:
        out.print(f"  {done.auto_pruned} of the least important memories were hidden (undo with combray restore)")
