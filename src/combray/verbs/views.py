"""Verbs for pages: the store as a graph and over time, and searched as one types."""

from __future__ import annotations

from combray.verbs.declaration import READ, Verb, limit
from combray.verbs.parameters import QUERY

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
    Verb(
        "views.recall",
        "views.recall",
        READ,
        "Recall as one types: hits do not count as recalled, nor the text as a question.",
        (QUERY, limit(10)),
        http=("POST /look",),
    ),
)
