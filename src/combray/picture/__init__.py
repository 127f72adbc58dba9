"""The memory graph as a picture: Graphviz source, or one self-contained HTML page that makes no request."""

from __future__ import annotations

import base64
import hashlib
import re
import unicodedata
from importlib.resources import files
from typing import Protocol, runtime_checkable

import msgspec

from combray.records import dataclass
from combray.runtime import Filter, Reader
from combray.types import LIVE_STATUSES, STATUSES, Edge, Memory

__all__ = ["dot", "html"]

LABEL_CHARACTERS = 60
CATEGORY_COLOURS = {
    "decision": "#D55E00",
    "fact": "#0072B2",
    "insight": "#009E73",
    "preference": "#CC79A7",
    "context": "#E69F00",
    "general": "#7A8594",
}
"""Palette for colour-blind readers, plus grey. Source: Okabe and Ito (2008), https://jfly.uni-koeln.de/color/"""
EDGE_COLOURS = {
    "temporal": "#9AA5B1",
    "entity": "#56B4E9",
    "causal": "#C0392B",
    "semantic": "#8A63D2",
    "supersedes": "#B8860B",
    "may_revise": "#7F8C3B",
    "restates": "#D98CB3",
    "contrasts": "#5E8AA8",
}
_SHOWN = Filter(statuses=STATUSES)
_TEMPLATE = files("combray.picture").joinpath("graph.html")
_DATA = "/*DATA*/"
_POLICY = "POLICY"
_INLINE = {
    "script-src": re.compile(r"<script>(.*?)</script>", re.DOTALL),
    "style-src": re.compile(r"<style>(.*?)</style>", re.DOTALL),
}
_ESCAPES = str.maketrans(
    {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
)


@runtime_checkable
class HasReader(Protocol):
    """The part of an engine that a picture needs."""

    @property
    def reader(self) -> Reader:
        """A reader of its namespace."""
        ...


@dataclass(frozen=True, slots=True)
class DrawnGraph:
    """The memories to show, oldest first; the edges between them; how many memories were omitted."""

    memories: list[Memory]
    edges: list[Edge]
    left_out: int


def graph(source: HasReader | Reader, limit: int) -> DrawnGraph:
    """Return the `limit` newest memories of every status and their edges. Quarantined ones are never included."""
    reader = source.reader if isinstance(source, HasReader) else source
    keys = reader.scan(_SHOWN)
    shown = reader.memories(keys[max(len(keys) - limit, 0) :])
    ids = {memory.id for memory in shown}
    edges = [edge for edge in reader.edges() if edge.source in ids and edge.target in ids]
    return DrawnGraph(shown, edges, len(keys) - len(shown))


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


def html(source: HasReader | Reader, *, limit: int = 800) -> str:
    """Render a page with the newest `limit` memories and the edges between them.

    Stored text is embedded as JSON with <, > and & escaped, and the script inserts it as text only. The content
    security policy allows only the page's own script and style, by hash.
    """
    template = _TEMPLATE.read_text(encoding="utf-8")
    page = template.replace(_POLICY, _policy(template), 1)
    return page.replace(_DATA, embedded(_data(graph(source, limit))), 1)


def embedded(data: object) -> str:
    """Encode data as JSON that is safe inside a script element."""
    return msgspec.json.encode(data).decode().translate(_ESCAPES)


def _policy(template: str) -> str:
    """Return a content security policy with the SHA-256 of the template's script and style."""
    rules = ["default-src 'none'", "base-uri 'none'", "form-action 'none'"]
    for rule, pattern in _INLINE.items():
        hashes = [hashlib.sha256(found.encode()).digest() for found in pattern.findall(template)]
        rules.append(" ".join([rule, *(f"'sha256-{base64.b64encode(each).decode()}'" for each in hashes)]))
    return "; ".join(rules)


def _data(drawn: DrawnGraph) -> dict[str, object]:
    places = {memory.id: number for number, memory in enumerate(drawn.memories)}
    fields = ("id", "content", "category", "importance", "status", "kind", "source", "author", "session")
    shown = (*fields, "moment", "tags", "entities")
    return {
        "categories": CATEGORY_COLOURS,
        "types": EDGE_COLOURS,
        "statuses": STATUSES,
        "live": LIVE_STATUSES,
        "left_out": drawn.left_out,
        "nodes": [{name: getattr(memory, name) for name in shown} for memory in drawn.memories],
        "edges": [
            [
                places[edge.source],
                places[edge.target],
                edge.type,
                round(edge.weight, 3),
                edge.subtype,
                edge.reason,
            ]
            for edge in drawn.edges
        ],
    }
