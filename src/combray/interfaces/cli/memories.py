"""The verbs `get`, `update` and `history` of single memories, and those of the graph: links, names, drawings."""

from __future__ import annotations

import re
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from combray.interfaces.cli.failures import nothing_found
from combray.interfaces.cli.options import Target, command
from combray.interfaces.cli.output import (
    answer,
    compact,
    console,
    for_people,
    full,
    in_words,
    moment,
    short,
    show_json,
    show_rows,
    visible,
)
from combray.interfaces.cli.reading import create_private
from combray.types import EdgeType

if TYPE_CHECKING:
    from combray.engine.graph import Related

_CITATION = re.compile(r"(?i)(.+\.(?:md|jsonl))(?:#L(\d{1,9})(?:-L(\d{1,9}))?)?")


@command()
def get(target: Target, memory_id: str) -> None:
    """Print the fields of a memory, or the lines of a file."""
    cited = _CITATION.fullmatch(memory_id)
    if cited is not None:
        _get_lines(target, *cited.groups())
        return
    with target.open() as engine:
        memory = engine.get(memory_id)
    fields = full(memory)
    rows = ((name, in_words(value)) for name, value in fields.items() if value not in (None, "", (), {}))
    show_rows(target, fields, ("field", "value"), rows)


def _get_lines(target: Target, path: str, first: str | None, last: str | None) -> None:
    start = int(first) if first else None
    lines = int(last or first or 0) - (start or 0) + 1 if start else None
    with target.open() as engine:
        excerpt = engine.documents.read(path, start=start, lines=lines)
    if for_people(target):
        console().print(visible(excerpt.text))
        for first_apart, last_apart in excerpt.quarantined:
            lines_apart = f"Lines {first_apart} to {last_apart} are in quarantine and hidden from models"
            console().print(f"{lines_apart}: combray review --quarantined", style="yellow")
        if excerpt.next_line:
            console().print(f"More: combray get {visible(path)}#L{excerpt.next_line}", style="dim")
    else:
        show_json(excerpt.as_json())
    if not excerpt.text:
        nothing_found(f"{path} does not exist or does not have these lines. Check the path and the lines.")


@command(pipelines=True)
def update(target: Target, memory_id: str, **fields: Any) -> None:
    """Change the fields that are given; an empty text clears one."""
    given = {name: value for name, value in fields.items() if value is not None}
    changes: Any = {name: None if value == "" and name != "content" else value for name, value in given.items()}
    if not changes:
        raise click.UsageError("name at least one field to change, such as --content or --tags.")
    with target.open() as engine:
        memory = engine.update(memory_id, **changes)
    answer(target, f"{memory.id} is updated: {short(memory.content)}", **full(memory))


@command()
def history(target: Target, memory_id: str, chain: bool) -> None:
    """Print the changes of a memory and its chain."""
    with target.open() as engine:
        steps = engine.chain(memory_id) if chain or for_people(target) else []
        versions = [] if chain else engine.history(memory_id)
    if not chain:
        rows = (
            (str(each.number), moment(each.changed_at), each.actor, each.operation, in_words(each.before))
            for each in versions
        )
        headings, none = ("#", "when", "who", "change", "before"), "This memory was never changed."
        show_rows(target, versions, headings, rows, none=none, unbroken=("#",))
    if chain or len(steps) > 1:
        from combray.interfaces.cli.review import show_chain

        show_chain(target, steps)


@command()
def link(at: Target, /, **ends: Any) -> None:
    """Link, and print the edge."""
    with at.open() as engine:
        edge = engine.link(**ends)
    answer(
        at,
        f"Linked {edge.source} → {edge.target} ({edge.type}, weight {edge.weight:g}).",
        status="linked",
        source_id=edge.source,
        target_id=edge.target,
        edge_type=edge.type,
        weight=edge.weight,
        metadata={"sub_type": edge.subtype, "reason": edge.reason},
    )


@command()
def related(target: Target, memory_id: str, type: EdgeType | None, depth: int) -> None:
    """Print the linked memories."""
    with target.open() as engine:
        found = engine.related(memory_id, type=type, depth=depth)
    rows = ((str(each.depth), _edges(each), each.memory) for each in found)
    show_rows(target, list(map(_as_json, found)), ("step", "edges", "memory"), rows)
    if not found:
        nothing_found("the memory has no " + (f"{type} edges." if type else "edges."))


def _as_json(found: Related) -> dict[str, Any]:
    edges = [
        {"edge_type": via, "weight": weight} | ({"sub_type": sub} if sub else {})
        for (via, weight), sub in zip(found.edges, found.subtypes, strict=True)
    ]
    step = {"depth": found.depth, "edge_type": found.via, "weight": found.weight, "edges": edges}
    return compact(found.memory) | step


def _edges(found: Related) -> str:
    said = [
        f"{via} {weight:.2f}{f' ({sub})' if sub else ''}"
        for (via, weight), sub in zip(found.edges, found.subtypes, strict=True)
    ]
    # Edges from several memories of the step before read alike.
    return ", ".join(dict.fromkeys(said))


@command()
def viz(target: Target, form: str | None, output: Path, limit: int | None) -> None:
    """Write or print the drawing."""
    from combray import picture

    form = form or ("html" if output.suffix.lower() in (".html", ".htm") else "dot")
    draw = picture.html if form == "html" else picture.dot
    with target.open() as engine:
        drawn = draw(engine, **({} if limit is None else {"limit": limit}))
    if str(output) == "-":
        click.echo(drawn)
        return
    create_private(output)
    output.write_text(drawn, encoding="utf-8")
    answer(target, f"Wrote {output}.", status="written", path=str(output), format=form)


@command()
def entities(target: Target, limit: int) -> None:
    """Print the entities."""
    with target.open() as engine:
        found = engine.entities.list(limit)
    rows = []
    for each in found:
        others = (f"{name} (learned)" if name in each.learned else name for name in each.aliases)
        rows.append((str(each.memories), each.name, ", ".join(others), "\n".join(each.stated_by[:3])))
    headings, none = ("memories", "entity", "also called", "stated by"), "No memory names an entity."
    show_rows(target, [asdict(each) for each in found], headings, rows, none=none, unbroken=("memories",))


@command()
def alias(target: Target, name: str, others: tuple[str, ...], merge: bool, remove: bool) -> None:
    """Declare, merge or remove names."""
    if merge and remove:
        raise click.UsageError("give --merge or --remove, not both.")
    with target.open(to_write=not remove) as engine:
        if remove:
            changed = [each.id for other in others for each in engine.entities.separate(name, other)]
            said = f"{', '.join(others)} removed from {name}; changed: {', '.join(changed)}."
            answer(target, said, status="removed", name=name, aliases=others, ids=changed)
            return
        done = (
            [engine.entities.merge(other, name) for other in others]
            if merge
            else [engine.entities.alias(name, *others)]
        )
    ids = [each.id for each in done]
    said = f"{name} is also called {', '.join(others)}. Take it back: combray forget {' '.join(ids)}"
    answer(target, said, status="declared", name=name, aliases=others, ids=ids)
