"""The graph in Graphviz's dot language."""

from __future__ import annotations

import unicodedata

from combray.picture.graph import CATEGORY_COLOURS, EDGE_COLOURS, HasReader, graph
from combray.runtime import Reader
from combray.types import LIVE_STATUSES, Edge, Memory

LABEL_CHARACTERS = 60


def dot(source: HasReader | Reader, *, limit: int = 500) -> str:
    """Render the newest `limit` memories as a directed graph: colour by category, edges by type.

    Memories that are not live have a dashed border. Labels are escaped.
    """
    drawn = graph(source, limit)
    places = {memory.id: f"m{number}" for number, memory in enumerate(drawn.memories)}
    lines = [
        "digraph memories {",
        '  graph [overlap=false, splines=true, bgcolor="transparent"];',
        '  node [shape=box, style="rounded,filled", fontname="Helvetica", fontsize=10, fontcolor="white"];',
        '  edge [fontname="Helvetica", fontsize=8, arrowsize=0.6];',
    ]
    lines += [_node(places[memory.id], memory) for memory in drawn.memories]
    lines += [_edge(places[edge.source], places[edge.target], edge) for edge in drawn.edges]
    return "\n".join([*lines, "}", ""])


def _node(place: str, memory: Memory) -> str:
    colour = CATEGORY_COLOURS.get(memory.category, CATEGORY_COLOURS["general"])
    style = "rounded,filled" if memory.status in LIVE_STATUSES else "rounded,filled,dashed"
    tip = f"{memory.category}, importance {memory.importance}, {memory.status}: {memory.content}"
    label = quoted(shortened(memory.content))
    return f'  {place} [label={label}, tooltip={quoted(tip)}, fillcolor="{colour}", style="{style}"];'


def _edge(source: str, target: str, edge: Edge) -> str:
    colour = EDGE_COLOURS[edge.type]
    label = quoted(edge.subtype or edge.type)
    tip = quoted(edge.reason or edge.type)
    width = 0.5 + 1.5 * edge.weight
    return (
        f"  {source} -> {target} [label={label}, tooltip={tip}, "
        f'color="{colour}", fontcolor="{colour}", penwidth={width:.2f}];'
    )


def quoted(text: str) -> str:
    """Return the text as a quoted dot string with all special characters escaped."""
    plain = "".join(" " if unicodedata.category(each)[0] == "C" else each for each in text)
    return '"' + plain.replace("\\", "\\\\").replace('"', '\\"') + '"'


def shortened(text: str, longest: int = LABEL_CHARACTERS) -> str:
    """Return the text on one line, truncated."""
    line = " ".join(text.split())
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"
