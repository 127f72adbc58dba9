"""Verbs on a whole store: status, copies, the audit log, and the keys of its server."""

from __future__ import annotations

from combray.verbs.declaration import ADMIN, READ, WRITE, Parameter, Verb, flag, limit, of_engine
from combray.verbs.parameters import ONE_ID, READ_FORM, WHERE, WRITTEN_FORM

_NAME = Parameter("name", "", "NAME", required=True)

VERBS = (
    Verb(
        "status",
        "store.status",
        READ,
        """Show counts of memories, edges, vectors and top entities.

        --metrics shows how well memory served: questions answered, memories given and used, duplicates, cost.
        """,
        (
            flag("metrics", "Also how well memory served in the last days.", "--metrics", own=True),
            Parameter(
                "days",
                "Days that --metrics counts.",
                "--days",
                low=1,
                high=366,
                type="integer",
                own=True,
                default=7,
            ),
        ),
        examples=("combray status --namespace work",),
        tool="status",
        http=("GET /status",),
    ),
    Verb(
        "log",
        "store.log",
        READ,
        "Show the latest operations, newest first.",
        (limit(20, "lines", high=None),),
        examples=("combray log --limit 50",),
        http=("GET /log",),
    ),
    Verb(
        "doctor",
        "store.doctor",
        ADMIN,
        """Check the store and the embedder.

        Exit code 1 if a check fails.
        """,
        (flag("repair", "Rebuild everything that can be derived from the stored memories.", "--repair"),),
        examples=("combray doctor --repair",),
        lasts=True,
        http=("POST /doctor",),
        whole=True,
    ),
    Verb(
        "backup",
        "store.backup",
        ADMIN,
        "Copy the whole store consistently to a new file. The copy of an encrypted store has the same key.",
        (
            Parameter("path", "", "FILE", form="new file", required=True),
            flag("encrypt", "Encrypt the copy with the key in COMBRAY_NEW_KEY.", "--encrypt", own=True),
        ),
        examples=("combray backup memories-2026-03-01.db",),
        lasts=True,
    ),
    Verb(
        "import",
        "store.import_from",
        ADMIN,
        """Import memories from a file or a folder.

        The format is detected: an export; JSON lines of {"content": ...} with any field of remember,
        historical dates and edges; mem0, Zep and Graphiti, a LangGraph store, Letta, the reference MCP
        memory server, OKF, vaults of Obsidian and basic-memory, CSV, Parquet. Everything is validated
        before anything is written, and reported if it has no place. A second import stores what is new.
        """,
        (
            Parameter("path", "", "FILE", form="input path", required=True, own=True),
            flag("dry_run", "Write nothing; report what would be written and every invalid line.", "--dry-run"),
            flag("skip_bad", "Skip invalid lines instead of rejecting the file.", "--skip-bad"),
            flag("no_diff", "Store every item without looking for duplicates.", "--no-diff", own=True),
            flag(
                "trusted",
                "The file is your own: judge its texts by their own trust, not as untrusted.",
                "--trusted",
            ),
            READ_FORM,
            Parameter(
                "names",
                "Fields of a memory and the columns that hold them: text=body,author=who.",
                "--map FIELD=COLUMN,…",
                own=True,
            ),
        ),
        examples=(
            "combray import old.jsonl --dry-run",
            "combray import memories.jsonl",
            "combray import notes --dry-run",
            "combray import notes.csv --map text=body,author=who",
        ),
        lasts=True,
        http=("POST /import",),
    ),
    Verb(
        "export",
        "store.export_to",
        ADMIN,
        """Export a namespace as JSON lines.

        The export has memories of any status, their history and edges. Without FILE, or with -, it goes
        to standard output. 'combray import --trusted' restores it exactly. --format server-memory writes
        only the graph that 'combray mcp --tools official' keeps. okf, parquet and graphml write the
        active memories, and report what they leave out.
        """,
        (Parameter("path", "", "[FILE]", form="new path", own=True, shell_default="-"), WRITTEN_FORM, WHERE),
        examples=("combray export memories.jsonl", "combray export | gzip > memories.jsonl.gz"),
        lasts=True,
        http=("GET /export",),
    ),
    Verb(
        "audit show",
        "audit.entries",
        ADMIN,
        """Show the latest matching entries, newest first.

        Without --namespace, all namespaces are shown.
        """,
        (
            limit(20, "entries", high=None),
            Parameter("operation", "Only this verb.", "--operation VERB"),
            Parameter("since", 'Only from this time on: 2026-03-01, "last week", …', "--since WHEN"),
            Parameter("memory_id", "Only entries about this memory.", "--id ID"),
            Parameter("query", "Only recalls of exactly this query.", "--query TEXT"),
        ),
        http=("GET /audit",),
        whole=True,
    ),
    Verb(
        "audit verify",
        "audit.verify",
        ADMIN,
        """Verify every line of the log, their order, and its end.

        Exit code 1 if an entry was changed, removed, moved or inserted, or if the end is missing.
        """,
        (),
        lasts=True,
        http=("POST /audit/verify",),
        whole=True,
    ),
    Verb(
        "audit certificate",
        "audit.certificates",
        ADMIN,
        """Show the recorded proof that a memory was erased.

        The salt was printed when the memory was erased. It is needed to show that the proof is about a
        given text.
        """,
        (ONE_ID,),
        http=("GET /audit/certificates/{memory_id}",),
        whole=True,
    ),
    Verb(
        "audit export",
        "audit.lines",
        ADMIN,
        "Write the whole log unchanged to a new file, one entry per line.",
        (Parameter("path", "", "FILE", form="new file", required=True, own=True),),
        streams=True,
        http=("GET /audit/lines",),
        whole=True,
    ),
    of_engine("audit.record_read", READ, "Record a read that was made outside.", local=True),
    of_engine("store.namespaces", ADMIN, "List the namespaces of the store.", "GET /namespaces", whole=True),
    of_engine(
        "store.import_file",
        ADMIN,
        "Import a file that came as bytes: notes, a transcript, or an export.",
        "POST /import/file",
        lasts=True,
    ),
    of_engine("store.metrics", READ, "Show how well memory served in the last days.", "GET /status/metrics"),
    of_engine("store.revision", READ, "Report a number that grows with every write.", "GET /status/revision"),
    of_engine("store.known", READ, "List the beginnings of ids that name one memory.", "POST /memories/known"),
    of_engine("store.tier", READ, "Show the service tier, and why it is that one.", "GET /status/tier"),
    Verb(
        "keys create",
        "",
        ADMIN,
        """Create a key and print it, once.

        NAME says who holds it; the audit log names it. The key may use the namespaces of --namespace, and no
        other. A running server knows the key at once. From the first key on, every request needs one.
        """,
        (
            _NAME,
            Parameter(
                "role",
                "What it may do; each role may do what the ones before it may. admin erases and consolidates.",
                "--role",
                choices=(READ, WRITE, ADMIN),
                default=READ,
            ),
            Parameter("namespaces", "A namespace it may use; may be given again.", "--namespace -n", many=True),
            flag(
                "all_namespaces",
                "It may use every namespace, and with --role admin the whole store.",
                "--all-namespaces",
            ),
            Parameter(
                "expires",
                "How long it is valid: 12h, 90d; default: until it is revoked.",
                "--expires TIME",
                form="duration",
            ),
        ),
        examples=(
            "combray keys create ann --role write --namespace team --namespace ann --expires 90d",
            "combray keys create ops --role admin --all-namespaces",
        ),
    ),
    Verb(
        "keys list",
        "",
        ADMIN,
        "List the keys: what each may do, when it was used last, and when it expires.",
        (),
        examples=("combray keys list",),
    ),
    Verb(
        "keys rotate",
        "",
        ADMIN,
        """Replace a key by a new one, which is printed once.

        Role, namespaces and lifetime stay. The old key ends at once, or after --grace.
        """,
        (
            _NAME,
            Parameter("grace", "How long the old key stays valid: 15m, 24h.", "--grace TIME", form="duration"),
        ),
        examples=("combray keys rotate ann --grace 24h",),
    ),
    Verb(
        "keys revoke",
        "",
        ADMIN,
        "Revoke a key. Running servers refuse it from the next request on.",
        (_NAME,),
        examples=("combray keys revoke ann",),
    ),
)
