"""Parameters that several verbs share."""

from __future__ import annotations

from combray.types import CATEGORIES, KINDS
from combray.verbs.declaration import Argument, Parameter, flag

MOMENT = 'A date in ISO 8601 or in words, such as "last week".'
"""What a model reads about a moment."""

QUERY = Parameter("query", "", "QUERY...", mcp="A question or keywords.", form="words", required=True)
SINCE = Parameter(
    "since", 'Only what happened from this time on: 2026-03-01, "last week", …', "--since WHEN", mcp=MOMENT
)
UNTIL = Parameter("until", "Only what happened before this time.", "--until WHEN", mcp=MOMENT)
IN_CATEGORIES = Parameter(
    "categories",
    "Only these categories.",
    "--category --cat",
    mcp=Argument(default=()),
    choices=CATEGORIES,
    many=True,
)
OF_KINDS = Parameter("kinds", "Only these kinds.", "--kind", choices=KINDS, many=True)
SOURCES = Parameter("sources", "Only from these sources.", "--source", many=True)
AUTHORS = Parameter("authors", "Only by these authors.", "--author", many=True)
SESSIONS = Parameter("sessions", "Only from these conversations.", "--session", many=True)
TAGS = Parameter("tags", "Only memories with one of these tags.", "--tag", mcp=Argument(default=()), many=True)
WHERE = Parameter(
    "where",
    """Only what matches: '{"category": "decision"}', '{"metadata.user": "ann"}', """
    """'{"importance": {"gte": 4}}'.""",
    "--where JSON",
    mcp='Fields: {"category": "decision"}, {"metadata.user": "ann"}, {"importance": {"gte": 4}}.',
    type="object",
)
NAMESPACES = Parameter(
    "namespaces", "Read this namespace; may be given again.", "--in NAMESPACE", many=True, form="some"
)
AS_OF = Parameter("as_of", "Answer as of this time: from what was stored and valid then.", "--as-of WHEN", mcp="")
KEEP = Parameter(
    "keep",
    "Drop hits below this share of the best score; 0 drops none [env: COMBRAY_KEEP].",
    "--keep",
    mcp="Drop hits below this share of the best score; 0 drops none. Default: a setting, 0.5.",
    low=0,
    high=1,
    type="number",
)
FULL = flag(
    "full", "Return full texts with every field and score instead of one short line each.", mcp="", own=True
)
AUTHOR = Parameter("author", "Who said it.", "--author")
ONE_ID = Parameter(
    "memory_id",
    "",
    "ID",
    mcp=Argument(name="id", text="Id of a memory from another tool's result, in full or a unique prefix."),
    required=True,
)
SEVERAL_IDS = Parameter(
    "memory_id", "", "[ID]...", mcp=Argument(name="id", text="Id of one memory.", many=False), many=True
)
ABOUT = Parameter(
    "about",
    "An identifier, a name or a description instead of ids.",
    "--about TEXT",
    mcp='What to forget: an identifier, "everything about NAME", or a description.',
)
INCLUDE = Parameter(
    "include",
    "With --about: also take this possible match.",
    "--include ID",
    mcp=Argument(text="With about: ids of possible matches to take too.", default=()),
    many=True,
)
EXCLUDE = Parameter("exclude", "With --about: keep this match.", "--exclude ID", many=True)
OF_NAMESPACES = Parameter("namespaces", "With --about: in these.", "--in A,B", form="comma", many=True)
DRY_RUN = flag("dry_run", "Only show what would change.", "--dry-run")
CONFIRM = Parameter(
    "confirm",
    "How many --where matches.",
    "--confirm N",
    mcp="Count of the same call without it.",
    low=0,
    type="integer",
)
FOLDER = Parameter("folder", "", "DIR", form="folder", required=True)
READ_FORM = Parameter(
    "form",
    "The tool that wrote it, or auto to detect it.",
    "--format",
    choices=(
        "auto",
        "combray",
        "server-memory",
        "mem0",
        "graphiti",
        "langgraph",
        "letta",
        "okf",
        "markdown",
        "csv",
        "jsonl",
        "parquet",
    ),
    own=True,
    default="auto",
)
WRITTEN_FORM = Parameter(
    "form",
    "okf: a folder of Markdown; server-memory: the JSONL file of the reference MCP memory server.",
    "--format",
    choices=("combray", "server-memory", "okf", "parquet", "graphml"),
    own=True,
    default="combray",
)
