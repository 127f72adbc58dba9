"""The verbs `link`, `related`, `viz`, `entities` and `alias`: edges between memories, and names of things."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from combray.interfaces.cli.declared import command
from combray.interfaces.cli.failures import nothing_found
from combray.interfaces.cli.files import create_private
from combray.interfaces.cli.options import Target
from combray.interfaces.cli.output import answer, compact, show_rows
from combray.types import EdgeType

if TYPE_CHECKING:
    from combray.engine.graph import Related


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
