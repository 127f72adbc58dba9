"""The memories and edges that a picture shows, and their colours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from combray.runtime import Filter, Reader
from combray.types import STATUSES, Edge, Memory

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
}
_SHOWN = Filter(statuses=STATUSES)


@runtime_checkable
class HasReader(Protocol):
    """The part of an engine that a picture needs."""

    @property
    def reader(self) -> Reader:
        """A reader of its namespace."""
        ...


@dataclass(frozen=True, slots=True)
class Graph:
    """The memories to show, oldest first; the edges between them; how many memories were omitted."""

    memories: list[Memory]
    edges: list[Edge]
    left_out: int


def graph(source: HasReader | Reader, limit: int) -> Graph:
    """Return the `limit` newest memories of every status and their edges. Quarantined ones are never included."""
    reader = source.reader if isinstance(source, HasReader) else source
    keys = reader.scan(_SHOWN)
    shown = reader.memories(keys[max(len(keys) - limit, 0) :])
    ids = {memory.id for memory in shown}
    edges = [edge for edge in reader.edges() if edge.source in ids and edge.target in ids]
    return Graph(shown, edges, len(keys) - len(shown))
