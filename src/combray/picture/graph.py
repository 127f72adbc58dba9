"""Which memories and edges a picture shows, and in which colours."""

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
"""Okabe and Ito's palette (2008), told apart by people who see red and green alike; grey for the rest."""
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
    """An engine, as far as a picture needs one."""

    @property
    def reader(self) -> Reader:
        """A reader of its namespace."""
        ...


@dataclass(frozen=True, slots=True)
class Graph:
    """The memories to show, oldest first, the edges between them, and how many memories were left out."""

    memories: list[Memory]
    edges: list[Edge]
    left_out: int


def graph(source: HasReader | Reader, limit: int) -> Graph:
    """The `limit` newest memories of every status (quarantined ones are never shown) and their edges."""
    reader = source.reader if isinstance(source, HasReader) else source
    keys = reader.scan(_SHOWN)
    shown = reader.memories(keys[max(len(keys) - limit, 0) :])
    ids = {memory.id for memory in shown}
    edges = [edge for edge in reader.edges() if edge.source in ids and edge.target in ids]
    return Graph(shown, edges, len(keys) - len(shown))
