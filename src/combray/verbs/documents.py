"""Verbs on folders of Markdown, and on the turns of a conversation."""

from __future__ import annotations

from msgspec.structs import replace

from combray.verbs.declaration import ADMIN, READ, WRITE, Argument, Parameter, Verb, flag, of_engine
from combray.verbs.parameters import FOLDER, QUERY

SESSION = Parameter(
    "session", "", "SESSION", mcp="Name of the conversation; the same for each of its turns.", required=True
)
TURN = Parameter("text", "The turn, word for word.", mcp="", required=True, own=True)
SPEAKER = Parameter(
    "author", "Who said it.", mcp=Argument(default="user", choices=("user", "assistant", "tool")), own=True
)
EXTRACT = Parameter(
    "extract",
    "How facts are found in what is said: by the language model, by rules, or off [env: COMBRAY_EXTRACT].",
    "--extract",
    mcp="How facts are found in the turn: model (later), rules (now: names, preferences, decisions) or off. "
    "Default: a setting.",
    choices=("model", "rules", "off"),
    default=None,
    own=True,
)

VERBS = (
    Verb(
        "index",
        "documents.index",
        ADMIN,
        """Index a folder of Markdown.

        In an agent workspace (one with MEMORY.md or memory/) only those are indexed; otherwise every *.md. Only
        changed files are read.
        """,
        (
            FOLDER,
            Parameter("extra", "Another Markdown file or folder.", "--extra PATH", form="path", many=True),
            Parameter(
                "sessions", "Transcripts: *.jsonl, a file or folder.", "--sessions PATH", form="path", many=True
            ),
            flag("redact", "Redact secrets in notes too. Transcripts are always redacted.", "--redact"),
            Parameter(
                "trust",
                "Trust of the files; untrusted marks third-party content. "
                "Stored with the folder; default: owner.",
                "--trust",
                choices=("owner", "agent", "untrusted"),
            ),
            Parameter(
                "scope",
                'Scope of the chunks, such as user:ann. Stored with the folder; "" removes it.',
                "--scope NAME",
            ),
            flag("rebuild", "Read every file again and erase chunks that are in no file.", "--rebuild"),
            flag("remove", "Remove the folder from the index; its chunks are hidden.", "--remove", own=True),
        ),
        examples=(
            "combray index ~/notes",
            "combray index . --sessions ~/.agent/sessions",
            "combray index docs --rebuild",
            "combray index ~/notes --scope user:ann",
        ),
        lasts=True,
    ),
    Verb(
        "watch",
        "documents.follow",
        ADMIN,
        """Index a folder, and again after every change, until Ctrl-C.

        A folder that was indexed before keeps its extra paths and transcripts. Requires the extra "watch".
        """,
        (FOLDER,),
        examples=("combray watch ~/notes",),
        streams=True,
    ),
    Verb(
        "memory-search",
        "documents.search",
        READ,
        """Search the indexed files.

        Prints path, lines, score and a snippet of at most 700 characters for each passage. Changed files
        are indexed first. The pipelines are those of preset openclaw.
        """,
        (
            QUERY,
            Parameter(
                "max_results",
                "Maximum number of passages.",
                "--limit -k",
                mcp=Argument(name="maxResults", high=50),
                low=1,
                high=1000,
                type="integer",
                default=6,
            ),
            Parameter(
                "min_score",
                "Drop passages below this score; default: the preset's.",
                "--min-score",
                mcp=Argument(name="minScore", low=0, high=1),
                type="number",
            ),
            Parameter(
                "sources", "Notes or transcripts only.", "--source", choices=("memory", "sessions"), many=True
            ),
            Parameter("scope", "Folders of this scope only, such as user:ann.", "--scope NAME"),
        ),
        examples=(
            'combray memory-search "when is the deploy freeze"',
            "combray memory-search deploy freeze -k 3",
        ),
        tool="memory_search",
        http=("POST /documents/search",),
    ),
    Verb(
        "stream",
        "conversation.context",
        WRITE,
        """Store turns, and print the context of each answer.

        Reads one turn a line from standard input: "user: TEXT", "assistant: TEXT", "tool: TEXT", any
        other text as the user's, or JSON {"text", "author", "occurred_at", "tool_results"}. Each is
        stored as an episode and answered with one line of JSON: recent turns, tool results, and the facts
        and episodes that a search about the two turns before it found, within the budget. 'combray
        context' answers a question instead.
        """,
        (
            SESSION,
            Parameter(
                "budget",
                "Tokens [env: COMBRAY_CONTEXT_BUDGET].",
                "--budget -b",
                mcp=Argument(text="Tokens. Default: a setting.", high=100000),
                low=100,
                type="integer",
            ),
            Parameter(
                "system", "System text; fills what the memories leave.", "--system TEXT", mcp="", default=""
            ),
            Parameter(
                "wait",
                "How long at most the search about earlier turns may delay an answer.",
                "--wait SECONDS",
                low=0,
                type="number",
                own=True,
                default=2.0,
            ),
            EXTRACT,
            flag("once", "Read no turns; print the context of the next answer.", "--once", own=True),
            TURN,
            SPEAKER,
            Parameter(
                "tool_results",
                "What search_memory returned for this turn; it has a tier of its own.",
                many=True,
                default=(),
                mcp="",
            ),
        ),
        examples=(
            "tail -f turns.jsonl | combray stream session-7 --budget 600",
            'combray stream session-7 --once --system "You are a helpful cook."',
        ),
        tool="handle_turn",
        http=("POST /conversations/{session}/context",),
    ),
    of_engine("documents.drop", ADMIN, "Remove a folder from the index; its chunks are hidden."),
    of_engine("documents.watch", ADMIN, "Watch an indexed folder for searches.", local=True),
    of_engine("documents.folders", READ, "List the indexed folders.", "GET /documents/folders"),
    Verb(
        "documents.read",
        "documents.read",
        READ,
        "Show lines of an indexed file.",
        (
            Parameter("path", mcp="Path of a note from a result of memory_search.", required=True),
            Parameter(
                "start", "First line; default: 1.", mcp=Argument(name="from"), type="integer", default=None, low=1
            ),
            Parameter(
                "lines", "Number of lines; default: to the end.", mcp="", type="integer", default=None, low=1
            ),
        ),
        tool="memory_get",
        http=("GET /documents/lines",),
    ),
    Verb(
        "conversation.add",
        "conversation.add",
        WRITE,
        "Store one turn of a conversation.",
        (SESSION, *(replace(each, own=False, shell=None) for each in (TURN, SPEAKER, EXTRACT))),
        tool="add_turn",
        http=("POST /conversations/{session}/turns",),
    ),
    of_engine(
        "conversation.add_many",
        WRITE,
        "Store turns in order.",
        "POST /conversations/{session}/turns/batch",
        lasts=True,
    ),
    of_engine(
        "conversation.turns",
        READ,
        "List every turn of a conversation, in order.",
        "GET /conversations/{session}/turns",
    ),
    of_engine(
        "extract", WRITE, "Store messages and let the language model read them now.", "POST /extract", lasts=True
    ),
    of_engine(
        "conversation.prefetched", READ, "Wait for the memories for the next turn, and hold them.", local=True
    ),
    of_engine("conversation.wait", READ, "Wait for the memories for the next turn.", local=True),
)
