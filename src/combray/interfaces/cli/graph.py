"""The verbs `link`, `related` and `viz`: edges between memories."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from combray.interfaces.cli.failures import nothing_found, verb
from combray.interfaces.cli.files import create_private
from combray.interfaces.cli.options import Target, in_a_folder, opens_store
from combray.interfaces.cli.output import answer, compact, show_rows
from combray.types import EDGE_TYPES, EdgeType

if TYPE_CHECKING:
    from combray.engine.graph import Related


@verb('combray link CAUSE_ID EFFECT_ID --type causal --reason "led to it"')
@click.argument("source")
@click.argument("other", metavar="TARGET")
@click.option("--type", "edge_type", type=click.Choice(EDGE_TYPES), default="semantic", help="Kind of edge.")
@click.option("--weight", type=click.FloatRange(0, 1), default=0.5, help="0 to 1.")
@click.option("--subtype", default="", show_default=False, help="Subtype, such as causes, enables or prevents.")
@click.option("--reason", default="", show_default=False, help="Why they are related.")
@opens_store()
def link(
    target: Target, source: str, other: str, edge_type: EdgeType, weight: float, subtype: str, reason: str
) -> None:
    """Link two memories.

    SOURCE and TARGET are ids. A causal edge goes from the cause to the effect.
    """
    with target.open() as engine:
        edge = engine.link(source, other, type=edge_type, weight=weight, subtype=subtype, reason=reason)
    answer(
        target,
        f"Linked {edge.source} → {edge.target} ({edge.type}, weight {edge.weight:g}).",
        status="linked",
        source_id=edge.source,
        target_id=edge.target,
        edge_type=edge.type,
        weight=edge.weight,
        metadata={"sub_type": edge.subtype, "reason": edge.reason},
    )


@verb("combray related ID --type causal --depth 3")
@click.argument("memory_id", metavar="ID")
@click.option("--type", "--edge", "edge_type", type=click.Choice(EDGE_TYPES), help="Follow only these edges.")
@click.option("--depth", type=click.IntRange(1, 10), default=2, help="Maximum number of steps.")
@opens_store()
def related(target: Target, memory_id: str, edge_type: EdgeType | None, depth: int) -> None:
    """Show linked memories, nearest first."""
    with target.open() as engine:
        found = engine.related(memory_id, type=edge_type, depth=depth)
    rows = ((str(each.depth), _edges(each), each.memory) for each in found)
    show_rows(target, list(map(_as_json, found)), ("step", "edges", "memory"), rows)
    if not found:
        nothing_found("the memory has no " + (f"{edge_type} edges." if edge_type else "edges."))


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


@verb("combray viz -o memories.html", "combray viz --format dot | dot -Tsvg > m.svg")
@click.option(
    "--format", "form", type=click.Choice(("dot", "html")), help="Default: by the suffix of the file, else dot."
)
@click.option(
    "--output",
    "-o",
    type=click.Path(dir_okay=False, allow_dash=True, path_type=Path),
    default=Path("-"),
    callback=in_a_folder,
    help="File to write; - is standard output.",
)
@click.option(
    "--limit", type=click.IntRange(1), help="Maximum number of memories, newest first; default 500, in HTML 800."
)
@opens_store()
def viz(target: Target, form: str | None, output: Path, limit: int | None) -> None:
    """Draw the memory graph, for Graphviz or as an HTML page."""
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
