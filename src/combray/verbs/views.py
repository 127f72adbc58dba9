"""Verbs that show the whole store: as a graph, and over time."""

from __future__ import annotations

from combray.verbs.declaration import READ, Verb

VERBS = (
    Verb(
        "views.graph",
        "views.graph",
        READ,
        "Return memories and typed edges with positions, around one memory or of the whole store.",
        http=("GET /graph",),
    ),
    Verb(
        "views.timeline",
        "views.timeline",
        READ,
        "Count what happened, was learnt and was true over time, and list the memories of a window.",
        http=("GET /timeline",),
    ),
)
