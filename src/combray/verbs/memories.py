"""Verbs on stored memories: remember, get, change, erase."""

from __future__ import annotations

from combray.types import CATEGORIES, TIERS
from combray.verbs.declaration import ADMIN, READ, WRITE, Argument, Parameter, Verb, flag, limit, of_engine
from combray.verbs.parameters import (
    ABOUT,
    AUTHOR,
    CONFIRM,
    DRY_RUN,
    EXCLUDE,
    FULL,
    INCLUDE,
    MOMENT,
    NAMESPACES,
    OF_NAMESPACES,
    ONE_ID,
    SEVERAL_IDS,
    WHERE,
)

_SELECTED = (ABOUT, INCLUDE, EXCLUDE, OF_NAMESPACES, WHERE, DRY_RUN, CONFIRM)
"""How `forget` and `erase` select memories without ids."""

VERBS = (
    Verb(
        "remember",
        "remember",
        WRITE,
        """Remember a text, unless it duplicates a known memory.

        TEXT "-" reads standard input. The output reports whether the text was added, superseded an older memory
        (which can be restored), or was skipped as a duplicate. If it may change earlier memories, a terminal asks
        about each, and JSON lists them in may_revise: settle them with 'combray settle'.
        """,
        (
            Parameter(
                "text",
                "",
                "[TEXT]...",
                mcp=Argument("One statement that is clear without the conversation.", "content"),
                form="text",
                required=True,
            ),
            Parameter(
                "file", "Remember every line of a file (- is standard input).", "--file", form="input", own=True
            ),
            Parameter(
                "category",
                "Kind of statement.",
                "--category --cat",
                mcp="",
                choices=CATEGORIES,
                default="general",
            ),
            Parameter(
                "importance",
                "1: a detail. 5: must not be lost.",
                "--importance --imp",
                mcp="",
                low=1,
                high=5,
                type="integer",
                default=3,
            ),
            Parameter(
                "entities",
                "Entities, in addition to those found in the text; aliases after =, such as Kubernetes=k8s|kube.",
                "--entities A,B=C|D",
                mcp=Argument(
                    text='Names beyond those found in the text; or with aliases: {"Robert": ["Bob"]}.', default=()
                ),
                form="entities",
                type="names",
            ),
            Parameter("tags", "Labels.", "--tags A,B", mcp=Argument(default=()), form="comma", many=True),
            Parameter(
                "source",
                "Where it comes from: user, agent, external, …",
                "--source",
                mcp=Argument(
                    text="user: the user said it. agent: your conclusion. external: web page, file, mail.",
                    choices=("user", "agent", "external"),
                    default="agent",
                ),
                shell_default="user",
            ),
            AUTHOR,
            Parameter(
                "occurred_at",
                'When it happened: 2026-03-01, "3 days ago", …',
                "--occurred-at --at WHEN",
                mcp=MOMENT,
            ),
            Parameter(
                "tier",
                "How it ages in preset mnemo, until use moves it; default: working.",
                "--tier",
                mcp=Argument(
                    text="core: kept for good. working: usual. peripheral: soon of no use. Use moves it later.",
                    default="working",
                ),
                choices=TIERS,
            ),
            Parameter("session", "The conversation it belongs to.", "--session"),
            Parameter(
                "supersedes",
                "Mark this memory superseded by the new one; repeatable.",
                "--supersedes ID",
                mcp=Argument("Id, or ids, of what this one replaces.", single=True, default=None),
                many=True,
            ),
            Parameter(
                "keep_both",
                "This memory holds beside the new one; repeatable.",
                "--keep-both ID",
                mcp=Argument(text="Ids of memories that hold beside this one.", default=()),
                many=True,
            ),
            Parameter(
                "slot",
                "What the text is a value of: ana.city. A newer value supersedes an older one.",
                "--slot NAME",
                mcp="",
            ),
            flag("no_diff", "Store without looking for duplicates and updates.", "--no-diff", own=True),
            flag(
                "atomic",
                "With --file: stop at an invalid line; by default the others are stored.",
                "--atomic",
                own=True,
            ),
        ),
        examples=(
            'combray remember "We chose PostgreSQL" --cat decision --imp 5 --entities PostgreSQL',
            "git log -1 --format=%B | combray remember - --source agent",
            "combray remember --file notes.txt",
        ),
        tool="remember",
        http=("POST /memories",),
    ),
    Verb(
        "get",
        "get",
        READ,
        """Show all fields of a memory, or lines of an indexed file.

        ID is an id or a unique prefix of at least 8 characters. PATH is an indexed Markdown file or transcript;
        append #L3-L9 for a range of lines.
        """,
        (Parameter("memory_id", "", "ID|PATH", required=True),),
        examples=("combray get 019a1b2c-3d4e", "combray get memory/2025-11-27.md#L3-L9"),
        http=("GET /memories/{memory_id}",),
    ),
    Verb(
        "list",
        "list",
        READ,
        """List memories, page by page, the newest first.

        Shows live memories; name "status" in --where for others. Exit code 1 when nothing matches.
        """,
        (
            WHERE,
            Parameter(
                "order", "Field to sort by; - in front: descending.", "--order", mcp="", default="-recorded_at"
            ),
            limit(100, mcp=20),
            Parameter("after", "Cursor of the page before.", "--after CURSOR", mcp="", default=""),
            NAMESPACES,
            flag("verbose", "Print every field (as JSON).", "--verbose -v", own=True),
            FULL,
            flag("unsettled", "Instead: pairs of which the later may change the earlier one.", own=True, mcp=""),
        ),
        examples=(
            "combray list",
            'combray list --where \'{"category": "decision"}\' --order -importance --limit 20',
        ),
        tool="list_memories",
        http=("GET /memories",),
    ),
    Verb(
        "update",
        "update",
        WRITE,
        """Change a memory in place.

        Only the options given change; an empty text clears a field. 'combray history ID' shows every change,
        'combray restore ID --version N' undoes them.
        """,
        (
            ONE_ID,
            Parameter(
                "content",
                "Another text; the old one stays in the history.",
                "--content TEXT",
                mcp="The whole text as it should be.",
            ),
            Parameter("category", "What it is.", "--category --cat", mcp="", choices=CATEGORIES),
            Parameter("importance", "1 to 5.", "--importance --imp", mcp="", low=1, high=5, type="integer"),
            Parameter("confidence", "0 to 1.", "--confidence", low=0, high=1, type="number"),
            Parameter(
                "tags",
                "These tags instead; empty for none.",
                "--tags A,B",
                mcp=Argument("All labels it should have.", default=None),
                form="comma",
                many=True,
            ),
            Parameter(
                "entities", "These names instead; empty for none.", "--entities A,B", form="comma", type="names"
            ),
            Parameter("source", "Where it is from.", "--source"),
            AUTHOR,
            Parameter("occurred_at", "When it happened.", "--occurred-at --at WHEN"),
            Parameter("valid_from", "True from then on.", "--valid-from WHEN"),
            Parameter("valid_to", "True until then; a date: until it begins.", "--valid-to WHEN", mcp=MOMENT),
            Parameter("expires_at", "Not recalled from then on; a date: after that day.", "--expires-at WHEN"),
            Parameter("tier", "How it ages in preset mnemo.", "--tier", choices=TIERS),
            Parameter("slot", "What it is a value of; empty for nothing.", "--slot NAME"),
            Parameter(
                "metadata",
                "This metadata instead of all of the old.",
                "--metadata JSON",
                form="json",
                type="object",
            ),
        ),
        examples=(
            'combray update ID --content "We deploy on Mondays" --imp 5',
            "combray update ID --tags deploy,team --valid-to 2026-12-31",
        ),
        tool="update_memory",
        http=("PATCH /memories/{memory_id}",),
    ),
    Verb(
        "forget",
        "forget",
        WRITE,
        """Hide memories from recall; nothing is deleted.

        Give ids, select live memories with --where, or say with --about what to forget: an identifier, a
        name or a description. --where and --about need --confirm with the count that they show; in a
        terminal the command asks.
        """,
        (SEVERAL_IDS, *_SELECTED),
        examples=(
            "combray forget ID",
            'combray forget --about "everything about Acme"',
            'combray forget --where \'{"metadata.user": "ann"}\' --dry-run',
        ),
        tool="forget",
        http=("DELETE /memories/{memory_id}", "POST /memories/forget"),
    ),
    Verb(
        "restore",
        "restore",
        WRITE,
        """Restore memories that were forgotten, superseded or hidden.

        --where selects forgotten memories, unless it names another status.
        """,
        (
            SEVERAL_IDS,
            Parameter("version", "Undo the changes from version N on.", "--version N", low=1, type="integer"),
            WHERE,
            DRY_RUN,
            CONFIRM,
        ),
        examples=(
            "combray restore ID",
            "combray restore ID --version 2",
            'combray restore --where \'{"metadata.user": "ann"}\' --confirm 12',
        ),
        http=("POST /memories/{memory_id}/restore", "POST /memories/restore"),
    ),
    Verb(
        "erase",
        "erase",
        ADMIN,
        """Erase memories permanently.

        Their text, history, edges and vectors are removed from the file, and everything that Combray
        derived from their text. Backups and exports are not changed. --where selects memories of every
        status, and --about says what to erase: an identifier, a name or a description. Exit code 1 if a
        proof finds remains in the store.
        """,
        (
            SEVERAL_IDS,
            flag("yes", "Do not ask for confirmation.", "--yes -y", own=True),
            flag("derived", "Also erase memories that name it as evidence.", "--derived"),
            flag("prove", "Search every file for remains, and show the proof.", "--prove"),
            Parameter("also", "With --prove: also search this file.", "--also FILE", many=True),
            *_SELECTED,
        ),
        examples=(
            "combray erase ID --yes",
            "combray erase ID --prove",
            'combray erase --about "the SSN 123-45-6789" --prove',
            'combray erase --where \'{"metadata.user": "ann"}\' --dry-run',
        ),
        http=("POST /memories/erase",),
    ),
    Verb(
        "history",
        "history",
        READ,
        """Show every change of a memory, oldest first.

        Each line shows who changed it, the operation, and the previous values. In a terminal its chain
        follows: what it replaced and what replaced it. JSON has the changes, or with --chain the chain.
        """,
        (
            ONE_ID,
            flag("chain", "Only what it replaced and what replaced it, earliest first.", "--chain", own=True),
        ),
        examples=("combray history ID", "combray history ID --chain"),
        http=("GET /memories/{memory_id}/history",),
    ),
    of_engine(
        "remember_many",
        WRITE,
        "Remember many texts, one transaction a batch.",
        "POST /memories/batch",
        lasts=True,
    ),
)
