"""Verbs that read memories to answer a question, and those of pages."""

from __future__ import annotations

from combray.verbs.declaration import READ, Parameter, Verb, flag, limit, of_engine
from combray.verbs.parameters import (
    AS_OF,
    AUTHORS,
    FULL,
    IN_CATEGORIES,
    KEEP,
    NAMESPACES,
    OF_KINDS,
    QUERY,
    SESSIONS,
    SINCE,
    SOURCES,
    TAGS,
    UNTIL,
    WHERE,
)

_FILTERS = (SINCE, UNTIL, IN_CATEGORIES, OF_KINDS, SOURCES, AUTHORS, SESSIONS, TAGS, WHERE, NAMESPACES)

VERBS = (
    Verb(
        "recall",
        "recall",
        READ,
        """Recall memories that answer a query, with reasons.

        For a question with "why", causes come before effects. An empty answer reports the reason (exit code 1).
        """,
        (
            QUERY,
            limit(10, mcp=5),
            Parameter(
                "intent",
                "Intent of the query; default: detected.",
                "--intent",
                mcp="",
                form="any case",
                choices=("WHY", "WHEN", "ENTITY", "GENERAL"),
            ),
            flag("basic", "Match substrings only, newest first.", "--basic"),
            *_FILTERS,
            AS_OF,
            Parameter(
                "min_score", "Drop hits below this score; default: the preset's.", "--min-score", type="number"
            ),
            KEEP,
            flag("explain", "Show the stages with times, and each hit's signals.", "--explain", own=True),
            flag("verbose", "Show every field of the memories.", "--verbose -v", own=True),
            FULL,
        ),
        examples=(
            'combray recall "why did we choose PostgreSQL"',
            'combray recall database decision --since "last month" --cat decision --explain',
        ),
        tool="recall",
        http=("POST /recall",),
    ),
    Verb(
        "search",
        "search",
        READ,
        """Find memories by keywords only.

        The score is the share of the query's words that a memory contains.
        """,
        (QUERY, limit(10), *_FILTERS),
        examples=("combray search postgres migration",),
        http=("POST /memories/search",),
    ),
    Verb(
        "search-memory",
        "search_memory",
        READ,
        """Search facts, episodes, or both.

        As JSON: text, confidence and timestamp of each memory.
        """,
        (
            QUERY,
            Parameter(
                "search_type",
                "facts: current facts. episodes: what was said and done.",
                "--type",
                mcp="",
                choices=("both", "facts", "episodes"),
                default="both",
            ),
            limit(5, mcp=5),
            NAMESPACES,
            FULL,
        ),
        examples=(
            'combray search-memory "the user\'s work projects"',
            "combray search-memory deploy --type facts",
        ),
        tool="search_memory",
        http=("POST /search-memory",),
    ),
    Verb(
        "think",
        "think",
        READ,
        """Answer a question from memory, with citations.

        If a language model is set (COMBRAY_LANGUAGE_MODEL), it writes the answer, and every sentence is
        checked against the memory it cites. Otherwise the best stored sentences are the answer. Exit code
        1 if the answer is not known.
        """,
        (
            Parameter(
                "question",
                "",
                "QUESTION...",
                mcp="One question in natural language.",
                form="words",
                required=True,
            ),
            limit(8, mcp=8),
            Parameter(
                "budget",
                "Maximum tokens of memories in the prompt [env: COMBRAY_CONTEXT_BUDGET].",
                "--budget -b",
                low=100,
                type="integer",
            ),
            KEEP.off("mcp"),
            SINCE,
            UNTIL,
            flag(
                "explain",
                "Show rejected sentences with reasons, and the stages of the recall.",
                "--explain",
                own=True,
            ),
            WHERE.off("mcp"),
            NAMESPACES,
            AS_OF,
        ),
        examples=(
            'combray think "why did we choose PostgreSQL"',
            'combray think "when did Ana move" --limit 20 --explain',
        ),
        tool="think",
        http=("POST /think",),
    ),
    Verb(
        "context",
        "context",
        READ,
        """Print the memories that answer a query as text for a prompt.

        The text has numbered memories with source, date and id, marked as data, within a token budget.
        Memories that do not fit, or that the prompt holds already, are reported.
        """,
        (
            QUERY,
            Parameter(
                "budget",
                "Maximum number of tokens [env: COMBRAY_CONTEXT_BUDGET].",
                "--budget -b",
                low=100,
                type="integer",
            ),
            limit(20),
            Parameter(
                "format",
                "Print only the text for the prompt, in this format.",
                "--format",
                choices=("text", "markdown", "xml", "json"),
            ),
            Parameter("exclude", "Leave out this memory; may be given again.", "--exclude ID", many=True),
            Parameter(
                "messages", "Leave out what this message of the prompt holds.", "--message TEXT", many=True
            ),
            Parameter(
                "session",
                "Leave out what earlier contexts of this session held, and remember what this one holds.",
                "--shown-in SESSION",
            ),
            flag("sure", "Print nothing if the evidence is weak.", "--sure"),
            KEEP,
            SINCE,
            UNTIL,
            IN_CATEGORIES,
            OF_KINDS,
            SESSIONS,
            WHERE,
            NAMESPACES,
            AS_OF,
        ),
        examples=(
            'combray context "why did we choose PostgreSQL"',
            "combray context database --budget 400 --format markdown --shown-in session-7",
        ),
        http=("POST /context",),
    ),
    of_engine("prompts.digest", READ, "Show the text for the start of a session.", "POST /prompts/digest"),
    of_engine(
        "prompts.forget_shown", READ, "Forget what the prompts of a session held.", "POST /prompts/forget-shown"
    ),
    of_engine(
        "views.graph",
        READ,
        "Return memories and typed edges with positions, around one memory or of the whole store.",
        "GET /graph",
    ),
    of_engine(
        "views.timeline",
        READ,
        "Count what happened, was learnt and was true over time, and list the memories of a window.",
        "GET /timeline",
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
