"""Verbs that the engine does not have: they compare, draw, move stores, wire clients and serve."""

from __future__ import annotations

from combray.verbs.declaration import ADMIN, READ, WRITE, Parameter, Verb, flag, limit
from combray.verbs.documents import EXTRACT
from combray.verbs.parameters import NAMESPACES, QUERY

LOOPBACK = "127.0.0.1"
CLIENTS = ("claude-code", "codex", "cursor", "gemini-cli", "openclaw", "opencode")
_WHICH = Parameter("clients", "", "[CLIENT]...", many=True, choices=CLIENTS)
_WIRED = (
    flag("user", "For all projects of the user, or for one.", "--user / --project", default=True),
    Parameter("folder", "The project's folder; default: the current folder.", "--folder", form="folder"),
    flag("yes", "Do not ask for confirmation.", "--yes -y"),
    flag("dry_run", "Show the changes and write nothing.", "--dry-run"),
)

VERBS = (
    Verb(
        "compare",
        "",
        READ,
        """Run one query with every preset, side by side.

        Nothing is written, so hits do not count as accessed. Each preset runs twice and the second time is
        shown, because the first run loads models and word lists.
        """,
        (
            QUERY,
            limit(5, "hits per preset", high=100),
            Parameter("presets", "Only these presets; default: all.", "--presets A,B", form="comma", many=True),
        ),
        examples=(
            'combray compare "why did we choose PostgreSQL"',
            "combray compare database decision --presets default,mnemon --limit 3",
        ),
    ),
    Verb(
        "viz",
        "",
        READ,
        "Draw the memory graph, for Graphviz or as an HTML page.",
        (
            Parameter(
                "form", "Default: by the suffix of the file, else dot.", "--format", choices=("dot", "html")
            ),
            Parameter(
                "output", "File to write; - is standard output.", "--output -o", form="output", shell_default="-"
            ),
            Parameter(
                "limit",
                "Maximum number of memories, newest first; default 500, in HTML 800.",
                "--limit",
                type="integer",
                low=1,
            ),
        ),
        examples=("combray viz -o memories.html", "combray viz --format dot | dot -Tsvg > m.svg"),
    ),
    Verb(
        "ingest",
        "",
        WRITE,
        """Store conversations, one episode per turn.

        PATH is a session file of Claude Code, Codex, Cursor, Gemini CLI, OpenClaw or opencode, a folder of them,
        or the zip that ChatGPT or Claude exports. Of these, turns that are stored already are skipped, so you can
        call it again. Also: JSON lines of {"author", "text", "session", "occurred_at"}, and the JSON of LoCoMo
        and LongMemEval. Their turns have no ids: a second call stores them again. If such a file has several
        conversations, each goes into a namespace with its name.
        """,
        (
            Parameter("paths", "", "[PATH]...", form="existing", many=True),
            Parameter(
                "clients", "The session files of a client on this machine.", "--from", many=True, choices=CLIENTS
            ),
            flag("dry_run", "Store nothing; report what would be stored.", "--dry-run"),
            EXTRACT,
            Parameter("scope", "Scope of the turns and of facts made of them, such as user:ann.", "--scope NAME"),
        ),
        examples=(
            "combray ingest --from claude-code --dry-run",
            "combray ingest chatgpt-export.zip",
            "combray ingest chat.jsonl --namespace chats",
            "combray ingest chat.jsonl --scope user:ann",
        ),
        lasts=True,
    ),
    Verb(
        "migrate",
        "",
        ADMIN,
        """Copy every namespace of a store to another store.

        FROM and TO are files or servers (postgresql://…). FROM is only read. Repeat an interrupted call: it skips
        what is there. Each namespace is verified by count and checksum.
        """,
        (
            Parameter("source", "", "FROM", required=True),
            Parameter("copy", "", "TO", required=True),
            Parameter("only", "Only this namespace; can be repeated.", "--only NAME", many=True),
        ),
        examples=(
            "combray migrate agent.db postgresql://combray@/combray",
            "combray migrate postgresql://combray@/combray a.db",
        ),
        lasts=True,
    ),
    Verb(
        "setup",
        "",
        ADMIN,
        """Wire agent clients: MCP entry, hooks and guidance.

        Shows the changes as a diff and asks. Entries of others are never touched, and the originals are kept:
        combray eject restores them. The options of the store are written into the entry and the hooks; options
        that are not given stay as they were. Clients: claude-code, codex, cursor, gemini-cli, openclaw, opencode.
        """,
        (
            _WHICH,
            *_WIRED,
            flag("check", "Report what is wired, whether the hook answers, and its last run.", "--check"),
            flag(
                "tools",
                "Also capture the use of tools, one more call for each.",
                "--tools / --no-tools",
                default=None,
            ),
            Parameter("name", "Name of the MCP entry; default: combray.", "--name NAME"),
            Parameter(
                "program", "How clients call Combray; default: its path, in a project its name.", "--program PATH"
            ),
        ),
        examples=(
            "combray setup claude-code",
            "combray setup codex cursor --project --dry-run",
            "combray setup --check codex",
        ),
    ),
    Verb(
        "eject",
        "",
        ADMIN,
        """Take Combray out of agent clients.

        A file that nobody changed since the set-up gets every byte of its original back. From any other only the
        entries of Combray are removed. Memories stay in the store.
        """,
        (
            _WHICH,
            *_WIRED,
            Parameter(
                "name", "Name of the MCP entry, if no set-up is recorded.", "--name NAME", default="combray"
            ),
        ),
        examples=("combray eject claude-code", "combray eject cursor --project --yes"),
    ),
    Verb(
        "serve",
        "",
        ADMIN,
        """Serve memory over HTTP.

        For teams and programs in any language: the API below /v1, its description at /v1/openapi.json, a page to
        try it at /v1/docs, the explorer at /, MCP at /mcp and the peer protocol, until Ctrl-C. The options fix
        store, preset and models. Requests name the namespace.
        """,
        (
            Parameter("host", "Address to listen on.", "--host", default=LOOPBACK),
            Parameter("port", "Port to listen on.", "--port", type="integer", default=8765, low=1, high=65535),
            Parameter(
                "threads",
                "Requests that work at once; others wait.",
                "--threads",
                type="integer",
                default=8,
                low=1,
                high=256,
            ),
            Parameter(
                "seconds",
                "Seconds that a request may take.",
                "--seconds",
                type="number",
                default=30.0,
                low=0.1,
                high=3600,
            ),
            Parameter(
                "rate",
                "Requests a second of one caller; 0: no limit.",
                "--rate",
                type="number",
                default=0.0,
                low=0,
            ),
            Parameter(
                "consolidate_every",
                "Consolidate every namespace at this interval: 30m, 24h, 7d.",
                "--consolidate-every TIME",
                form="duration",
            ),
            Parameter(
                "tools",
                "Tools to offer over MCP.",
                "--tools",
                choices=("lean", "full", "mnemon", "mnemo", "openclaw", "engram", "semantic-facts"),
                default="lean",
            ),
        ),
        examples=("combray serve", "combray serve --db agent.db --port 9000 --consolidate-every 24h"),
    ),
    Verb(
        "explore",
        "",
        ADMIN,
        """Look into the memory in a browser.

        Serves the explorer on a free port of this machine and opens a browser, until Ctrl-C. The printed address
        works once: whoever opens it first gets in.
        """,
        (
            flag(
                "browser", "Open a browser, or only print the address.", "--browser / --no-browser", default=True
            ),
            Parameter("port", "Default: a free one.", "--port", type="integer", low=1, high=65535),
        ),
        examples=("combray explore", "combray explore --db agent.db --no-browser"),
    ),
    Verb(
        "mcp",
        "",
        ADMIN,
        """Serve memory to an agent over MCP.

        Speaks the Model Context Protocol on standard input and output until the input ends, or with --http over
        HTTP. An MCP client starts this command. Its options fix the store, namespace, preset and embedder.
        With --in, recall, search_memory, think and list_memories read these namespaces; every other tool uses the
        one of --namespace.
        """,
        (
            Parameter(
                "tools",
                "Tools to offer; each profile is named after whose it is compatible with.",
                "--tools",
                choices=("lean", "full", "mnemon", "mnemo", "openclaw", "engram", "semantic-facts", "official"),
                default="lean",
            ),
            flag("http", "Serve streamable HTTP at /mcp instead of standard input.", "--http"),
            Parameter(
                "host", "Address for --http; any other than loopback needs keys.", "--host", default=LOOPBACK
            ),
            Parameter("port", "Port for --http.", "--port", type="integer", default=8765, low=1, high=65535),
            Parameter(
                "keys",
                "With --http: a file of lines KEY NAMESPACE[,NAMESPACE] [env: COMBRAY_MCP_KEYS has such lines].",
                "--keys",
                form="file",
            ),
            Parameter(
                "memory_file",
                "With --tools official: the reference server's JSONL file, read and kept equal to the graph "
                "[env: MEMORY_FILE_PATH].",
                "--memory-file",
                form="any file",
            ),
            Parameter(
                "ask_seconds",
                "Seconds to wait for a person's answer to a question; 0 asks nothing.",
                "--ask-seconds",
                type="number",
                default=120.0,
                low=0,
                high=3600,
            ),
            NAMESPACES,
        ),
        examples=(
            "combray mcp --db agent.db --namespace work",
            "combray mcp --tools official",
            "combray mcp --http --port 8765",
        ),
    ),
)
