"""Verbs that look after a store: consolidation, vectors, retention, quarantine."""

from __future__ import annotations

from combray.verbs.declaration import ADMIN, READ, WRITE, Parameter, Verb, flag, limit, of_engine
from combray.verbs.parameters import ONE_ID

VERBS = (
    Verb(
        "consolidate",
        "consolidation.run",
        ADMIN,
        """Merge, update and re-rate facts, or undo that.

        Confidence is updated from evidence and age, paraphrases are merged, corrections supersede old
        facts. Nothing is deleted: single memories can be restored, and a whole run can be undone.
        """,
        (
            flag("dry_run", "Show the plan and change nothing.", "--dry-run"),
            Parameter(
                "most",
                "Maximum number of memories that one run may merge, supersede, deprecate or reactivate.",
                "--most N",
                low=0,
                type="integer",
                default=1000,
            ),
            Parameter("undo", "Undo this run; a unique prefix of its id is enough.", "--undo RUN", own=True),
            flag("runs", "List the latest runs.", "--runs", own=True),
            Parameter(
                "every",
                "Keep running, at this interval: 30m, 24h, 7d.",
                "--every TIME",
                form="duration",
                own=True,
            ),
        ),
        examples=(
            "combray consolidate --dry-run",
            "combray consolidate",
            "combray consolidate --undo RUN",
            "combray consolidate --every 24h",
        ),
        lasts=True,
        http=("POST /consolidation/runs",),
    ),
    Verb(
        "worker",
        "vectors.make",
        ADMIN,
        """Embed memories that wait, and read turns for facts.

        Turns are read if a language model is set. Runs until Ctrl-C and polls every second. Any number of workers
        may share a store.
        """,
        (
            flag("once", "Process what is due now and exit.", "--once", own=True),
            Parameter(
                "batch",
                "Texts per call of the embedder.",
                "--batch N",
                low=1,
                high=1024,
                type="integer",
                default=64,
            ),
            flag("everywhere", "Process every namespace of the store.", "--everywhere"),
            flag("reembed", "Also queue all memories without a vector of this embedder.", "--reembed", own=True),
            flag("retry_failed", "First requeue jobs that failed for good.", "--retry-failed", own=True),
            Parameter("drop", "Delete the vectors of another model and exit.", "--drop MODEL", own=True),
        ),
        examples=(
            "combray worker",
            "combray worker --once --everywhere",
            "combray worker --embedder ollama:bge-m3 --reembed --once",
            'combray worker --embedder ollama:bge-m3 --drop "wordllama:256"',
        ),
        lasts=True,
        http=("POST /vectors/make",),
    ),
    Verb(
        "gc",
        "retention.candidates",
        READ,
        "List the least important memories. Nothing is removed.",
        (
            Parameter(
                "threshold",
                "Effective importance below which a memory is listed.",
                "--threshold",
                low=0,
                type="number",
                default=0.5,
            ),
            limit(20, high=None),
            Parameter("keep", "Keep this memory: count it as used three more times.", "--keep ID", own=True),
        ),
        examples=("combray gc --threshold 0.3", "combray gc --keep ID"),
        http=("GET /retention/candidates",),
    ),
    Verb(
        "review",
        "retention.review",
        READ,
        """List memories that need attention.

        By default, lists texts that describe a temporary state or can be looked up elsewhere, worst first.
        --changes asks about each pair, one key each, in a terminal.
        Quarantined texts look like prompt injection and are never recalled; release one with combray release.
        """,
        (
            limit(20, high=None),
            flag("quarantined", "List quarantined memories with reasons.", "--quarantined", own=True),
            flag("set_aside", "List turns that extraction gave up, with the reason.", "--set-aside", own=True),
            flag("doubtful", "List pairs of facts that consolidation could not decide.", "--doubtful", own=True),
            flag("changes", "List pairs of which the later may change the earlier.", "--changes", own=True),
        ),
        examples=(
            "combray review",
            "combray review --changes",
            "combray review --quarantined",
            "combray review --doubtful",
            "combray review --set-aside",
        ),
        http=("GET /retention/review",),
    ),
    Verb(
        "release",
        "quarantine.release",
        ADMIN,
        "Release a memory from quarantine. The release is recorded in its history.",
        (
            ONE_ID,
            Parameter(
                "trust",
                "Its trust from now on. Untrusted memories are recalled but marked.",
                "--trust",
                choices=("untrusted", "agent", "owner"),
                default="untrusted",
            ),
        ),
        examples=("combray release ID", "combray release ID --trust owner"),
        http=("POST /memories/{memory_id}/release",),
    ),
    of_engine(
        "extraction.read", ADMIN, "Let the language model read what is due.", "POST /extraction/read", lasts=True
    ),
    of_engine("extraction.set_aside", READ, "List turns that extraction gave up.", "GET /extraction/set-aside"),
    of_engine("extraction.status", READ, "Report what extraction read, left and cost.", "GET /extraction/status"),
    of_engine("extraction.wake", ADMIN, "Start the thread that reads turns.", local=True),
    of_engine("extraction.stop_worker", ADMIN, "Stop that thread.", local=True),
    of_engine("consolidation.runs", READ, "List the latest runs of consolidation.", "GET /consolidation/runs"),
    of_engine(
        "consolidation.changes",
        READ,
        "List what a run of consolidation changed.",
        "GET /consolidation/runs/{run_id}",
    ),
    of_engine(
        "consolidation.waiting", READ, "List pairs of facts that are undecided.", "GET /consolidation/waiting"
    ),
    of_engine("consolidation.undo", ADMIN, "Undo a run of consolidation.", "POST /consolidation/undo"),
    of_engine(
        "consolidation.undo_merge",
        WRITE,
        "Make a merged memory independent again.",
        "POST /memories/{memory_id}/undo-merge",
    ),
    of_engine(
        "vectors.catch_up", ADMIN, "Make the vectors of some memories now.", "POST /vectors/catch-up", lasts=True
    ),
    of_engine("vectors.pending", READ, "Count the memories that wait for a vector.", "GET /vectors/pending"),
    of_engine("vectors.retry_failed", ADMIN, "Queue jobs again that failed for good.", "POST /vectors/retry"),
    of_engine(
        "vectors.reembed", ADMIN, "Queue memories without a vector of an embedder.", "POST /vectors/reembed"
    ),
    of_engine(
        "vectors.outdated",
        READ,
        "Report whether vectors of another embedder are in use.",
        "GET /vectors/outdated",
    ),
    of_engine("vectors.start_worker", ADMIN, "Start the worker of this process.", local=True),
    of_engine("vectors.stop_worker", ADMIN, "Stop the worker of this process.", local=True),
    of_engine(
        "retention.keep", WRITE, "Count a memory as used three more times.", "POST /memories/{memory_id}/keep"
    ),
    of_engine(
        "retention.derived", READ, "List what was made from a memory.", "GET /memories/{memory_id}/derived"
    ),
    of_engine("quarantine.list", ADMIN, "List quarantined memories with reasons.", "GET /quarantine"),
)
