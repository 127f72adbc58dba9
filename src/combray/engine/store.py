"""The store as a whole: status, log, doctor, backup, export and import."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from combray.audit.audited import doing, record_read
from combray.conversation.extraction_batches import DayBudget, ledger
from combray.engine.namespace import NO_ADVICE, Namespace, Verbs
from combray.engine.service_tier import model_usage, tier_monitor
from combray.errors import InvalidInputError, ModelError
from combray.language.scopes import scope_set
from combray.records import dataclass
from combray.runtime import Embedder, Filter, Reader, Runtime
from combray.runtime.queue import EXTRACTION
from combray.runtime.runtime import Tier
from combray.settings import read_prices
from combray.types import LIVE_STATUSES, SCOPED_EDGES, STATUSES, TRUSTS, Edge, Where
from combray.where import parse

if TYPE_CHECKING:
    from combray.transfer import ImportReport, UploadReport
    from combray.transfer.exports import TextSink


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that `doctor` checked."""

    name: str
    ok: bool
    detail: str


class OpenStore:
    """`engine.store`: the store as a whole, and this namespace in it.

    The low-level store is `engine.runtime.store`.
    """

    def __init__(self, at: Namespace) -> None:
        self._at = at

    def namespaces(self) -> list[str]:
        """Names of all namespaces of the store."""
        return self._at.runtime.store.namespaces()

    def status(self) -> dict[str, Any]:
        """Counts by status, kind and category; edges, vectors, top entities; where and how it runs."""
        runtime, reader = self._at.runtime, self._at.reader
        counts = reader.status()
        live = sum(counts["by_status"].get(each, 0) for each in LIVE_STATUSES)
        tier = self.tier(check=True)
        prices = read_prices(str(self._at.settings.get("prices", "")))
        return {
            "tier": {"tier": tier.name, "why": tier.why, "since": datetime.fromtimestamp(tier.since, UTC)},
            "location": runtime.store.location,
            "bytes": _size(runtime.store.location),
            "writable": runtime.store.writable,
            "audit": self._audit_finding("status").detail,
            "namespace": self._at.namespace,
            "namespaces": self.namespaces(),
            "preset": self._at.preset.name,
            "embedder": runtime.embedder.name if runtime.embedder else "none",
            "models": model_usage(runtime, prices),
            "total_insights": live,
            **counts,
            **self._waiting(reader),
            "extraction": extraction_status(self._at),
            "edge_count": sum(counts["edges"].values()),
            "top_entities": [{"entity": name, "count": count} for name, count in reader.entity_counts(20)],
        }

    def metrics(self, days: int = 7) -> dict[str, Any]:
        """How well memory served in the last days, counted from the audit.

        `answered`: share of the questions that found something. `streamed` memories came in a context; `used` is
        the share of them that was cited, read or changed afterwards. `duplicates`: share of the texts that were
        skipped. `consolidated`: changes by consolidation. `cost`: of the models of this process. Raises
        InvalidInputError, StoreError without an audit.
        """
        from combray.engine.audit import AuditTrail, metrics

        return metrics(self._at, AuditTrail(self._at).log, days)

    def _waiting(self, reader: Reader) -> dict[str, Any]:
        """Return the queue by model, how many live memories have no vector, and how often advice failed."""
        now = self._at.runtime.clock()
        queue = [
            {
                "model": each.model,
                "waiting": each.waiting,
                "failed": each.failed,
                "oldest_seconds": round(max(0.0, now - each.oldest), 3),
                "error": each.error,
            }
            for each in reader.queue.backlogs()
        ]
        embedder = self._at.runtime.embedder
        lacking = len(reader.queue.lacking(embedder.name)) if embedder is not None else 0
        failed = int(reader.kept(NO_ADVICE) or 0)
        return {"without_vector": lacking, "queue": queue, "failed_advice": failed}

    def tier(self, *, check: bool = False) -> Tier:
        """Return the service tier, why, and since when (docs/reference/service-tiers.md). Calls no model.

        A store that could not be written is probed every 60 s, or at once with `check`.
        """
        return tier_monitor(self._at.runtime).now(check=check)

    def revision(self, *, namespaces: Sequence[str] | None = None) -> int:
        """Return a number that grows with every write to this namespace, or to one of those named."""
        return sum(each.reader.revision() for each in self._at.several(namespaces))

    def known(self, beginnings: Sequence[str], *, namespaces: Sequence[str] | None = None) -> list[str]:
        """Return the beginnings of ids, full ids among them, that name exactly one memory of any status."""
        from combray.prompt.context import known_by

        return known_by([each.reader for each in self._at.several(namespaces)], list(beginnings))

    def log(self, limit: int = 20) -> list[dict[str, Any]]:
        """Return the latest operations, newest first. `limit` is 1 or more."""
        if not isinstance(limit, int) or isinstance(limit, bool) or limit < 1:
            raise InvalidInputError("limit", f"{limit!r} is out of range.", "Use 1 or more.")
        # The largest integer of SQLite.
        return self._at.reader.log(min(limit, 2**63 - 1))

    def doctor(self, *, repair: bool = False) -> list[Finding]:
        """Check the store, the embedder and the vectors; `repair` first rebuilds what can be rebuilt."""
        store = self._at.runtime.store
        repairs = store.repair() if repair else []
        if repair and (removed := remove_crossing(self._at.runtime)):
            repairs.append(f"removed {removed} edges between scopes")
        problems = store.check()
        return [
            *(Finding("repair", True, done) for done in repairs),
            *(Finding("store", False, problem) for problem in problems),
            *(() if problems else (Finding("store", True, f"{store.location} is sound"),)),
            self._writing_finding(),
            self._audit_finding("doctor"),
            self._embedder_finding(),
            self._vector_finding(),
            self._queue_finding(),
            self._extraction_finding(),
            self._scope_finding(),
        ]

    def _writing_finding(self) -> Finding:
        store = self._at.runtime.store
        # A file may have become writable since it was opened, and a server may have become a replica.
        problem = store.probe()
        if problem or not store.writable:
            return Finding("writing", False, problem or "the store was opened read-only")
        return Finding("writing", True, "the store can be written to")

    def _scope_finding(self) -> Finding:
        count = count_crossing(self._at.runtime)
        if not count:
            return Finding("scopes", True, "no edge joins two scopes")
        remedy = "'combray doctor --repair' removes them"
        return Finding("scopes", False, f"{count} edges join memories of different scopes; {remedy}")

    def _audit_finding(self, verb: str) -> Finding:
        audit = self._at.runtime.audit
        if audit is None:
            return Finding("audit", True, "switched off")
        audit.record(verb, self._at.namespace)
        problem = audit.problem
        detail = f"{problem}: reads answer without an entry, writes are refused" if problem else "can be written"
        return Finding("audit", not problem, detail)

    def _embedder_finding(self) -> Finding:
        embedder = self._at.runtime.embedder
        if embedder is None:
            return Finding("embedder", True, "none: recall uses keywords and the graph")
        try:
            embedder.embed(["hello"])
        except ModelError as error:
            return Finding("embedder", False, str(error))
        return Finding("embedder", True, f"{embedder.name} answers, {embedder.dimensions} dimensions")

    def _vector_finding(self) -> Finding:
        if self._at.runtime.embedder is None:
            return Finding("vectors", True, "not needed")
        reader, model = self._at.reader, self._at.runtime.embedder.name
        counts = reader.status()
        live = sum(counts["by_status"].get(each, 0) for each in LIVE_STATUSES)
        lacking = len(reader.queue.lacking(model))
        detail = f"{live - lacking} of {live} memories have a vector of {model}"
        if lacking:
            detail += f"; 'combray worker --once --reembed' makes the other {lacking}"
        others = sorted(set(counts["vectors"]) - {model})
        if others:
            detail += f"; there are vectors of {', '.join(others)} too"
        return Finding("vectors", not lacking, detail)

    def _queue_finding(self) -> Finding:
        backlogs = [each for each in self._at.reader.queue.backlogs() if each.model != EXTRACTION]
        waiting, failed = (sum(getattr(each, name) for each in backlogs) for name in ("waiting", "failed"))
        detail = f"{waiting} memories wait for a vector"
        if failed:
            error = next(each.error for each in backlogs if each.failed)
            detail += f", {failed} failed ({error}); 'combray worker --once --retry-failed' retries them"
        return Finding("queue", not failed, detail)

    def _extraction_finding(self) -> Finding:
        found = extraction_status(self._at)
        detail = f"{found['waiting']} turns wait to be read for facts"
        if found["set_aside"]:
            detail += f", {found['set_aside']} were set aside; 'combray review --set-aside' lists them"
        return Finding("extraction", not found["set_aside"], detail)

    def backup(self, path: str, *, key: str | bytes | None = None) -> None:
        """Write a consistent copy of the whole store to a new file.

        The copy of an encrypted store is encrypted with the same key, or with `key` if given.
        """
        if "\0" in str(path):
            raise InvalidInputError("path", "contains a NUL character.", "Name a file.")
        runtime = self._at.runtime
        runtime.store.backup(path, key)
        if runtime.audit is not None:
            # A file name may hold bytes that are not UTF-8.
            shown = str(Path(path).absolute()).encode("utf-8", "backslashreplace").decode()
            runtime.audit.record("backup", self._at.namespace, detail={"path": shown})

    def export_to(self, stream: TextSink, *, where: Where | None = None) -> int:
        """Write memories of any status, history and edges as JSON lines. Return the number of memories.

        With `where` only the memories that match, of any status, and the edges between them.

        Open the file with `encoding="utf-8", newline="\\n"`. Raises StoreBusyError; see
        `combray.transfer.export_to`.
        """
        from combray.transfer import export_to

        condition = parse(where, self._at.runtime.clock(), self._at.runtime.zone)
        count = export_to(self._at.runtime.store, self._at.namespace, stream, condition)
        record_read(self._at, "export", count=count)
        return count

    def import_from(
        self,
        lines: Iterable[str | bytes],
        *,
        dry_run: bool = True,
        skip_bad: bool = False,
        diff: bool = True,
        trusted: bool = False,
        embedder: Embedder | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> ImportReport:
        """Import an export, a Mnemon draft, or JSON lines of items. A dry run unless `dry_run=False`.

        `skip_bad` skips bad lines instead of refusing the file. `diff=False` stores items without looking for
        duplicates. `trusted` marks the file as your own; otherwise the guard judges its texts as untrusted.
        Raises InvalidInputError, ModelError; see `combray.transfer.import_from`.
        """
        from combray.transfer import import_from

        return import_from(
            Verbs(self._at),
            self._at.namespace,
            lines,
            dry_run=dry_run,
            skip_bad=skip_bad,
            diff=diff,
            trusted=trusted,
            embedder=embedder,
            progress=progress,
        )

    def import_file(self, name: str, data: str, *, dry_run: bool = True, trusted: bool = False) -> UploadReport:
        """Import a file that came as bytes: notes, a transcript, an export. A dry run unless `dry_run=False`.

        `data`: the bytes in Base64. `name`: the file's name, which is stored and never opened. `trusted`: the
        texts are your own; otherwise they are stored as untrusted, and the guard quarantines what looks like
        prompt injection. Raises InvalidInputError; see `combray.transfer.import_bytes`.
        """
        from combray.conversation.auto_memory import extract_from
        from combray.transfer import import_bytes

        try:
            decoded = b64decode(data, validate=True)
        except ValueError:
            raise InvalidInputError("data", "must be Base64.", "Encode the bytes of the file.") from None
        save = extract_from if trusted else None
        return import_bytes(Verbs(self._at), name, decoded, dry_run=dry_run, trusted=trusted, save=save)


def _size(location: str) -> int | None:
    """Return the bytes of the store's file with its write-ahead log; None for a store without a file."""
    files = [Path(f"{location}{suffix}") for suffix in ("", "-wal")]
    try:
        return sum(each.stat().st_size for each in files if each.is_file()) or None
    except (OSError, ValueError):
        return None


# -- edges between memories of different scopes, which older versions made ---------------------------


def count_crossing(runtime: Runtime) -> int:
    """Return how many edges of the store join two scopes."""
    store = runtime.store
    return sum(len(_crossing(store.reader(name))) for name in store.namespaces())


def remove_crossing(runtime: Runtime) -> int:
    """Remove these edges, with a line in the log and the audit for each namespace. Return how many."""
    removed = 0
    for namespace in runtime.store.namespaces():
        if not _crossing(runtime.store.reader(namespace)):
            continue
        with doing("repair"), runtime.store.transaction(namespace) as tx:
            edges = _crossing(tx)
            keys = tx.keys_of(sorted({end for edge in edges for end in (edge.source, edge.target)}))
            for edge in edges:
                tx.unlink(keys[edge.source], keys[edge.target], edge.type)
            tx.note("repair", "", f"{len(edges)} edges between scopes removed", runtime.clock())
        removed += len(edges)
    return removed


def _crossing(reader: Reader) -> list[Edge]:
    scoped = dict(_scoped(reader))
    if not scoped:
        return []
    edges = reader.edges(SCOPED_EDGES)
    return [edge for edge in edges if scoped.get(edge.source, ()) != scoped.get(edge.target, ())]


def _scoped(reader: Reader) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield id and scope of the memories outside the global scope, of any status."""
    every = Filter(statuses=STATUSES, trusts=TRUSTS)
    world = set(reader.scan(Filter(statuses=STATUSES, trusts=TRUSTS, within=())).tolist())
    for memory in reader.memories([key for key in reader.scan(every).tolist() if key not in world]):
        yield memory.id, scope_set(memory.tags)


# -- extraction: apart from `engine/extraction.py`, so that `status` loads no pipeline ---------------


def budget_of(at: Namespace) -> DayBudget:
    """Return what a day may cost."""
    name = str(getattr(at.runtime.language_model, "name", ""))
    prices = read_prices(str(at.settings.get("prices", "")))
    return DayBudget.of(at.settings, prices.get(name, prices.get(name.rpartition(":")[0])))


def extraction_status(at: Namespace) -> dict[str, Any]:
    """Turns read, waiting and set aside, what became of the answers, the cost, and why it stands still."""
    runtime, reader, budget = at.runtime, at.reader, budget_of(at)
    backlog = next((each for each in reader.queue.backlogs() if each.model == EXTRACTION), None)
    spent = ledger(reader).on(runtime.local(runtime.clock()).date().isoformat())
    return {
        "mode": str(at.settings.get("extract", "model")),
        "waiting": backlog.waiting if backlog else 0,
        "set_aside": backlog.failed if backlog else 0,
        **{name: getattr(spent, name) for name in spent.__struct_fields__ if name != "day"},
        "cost_today": budget.money(spent.tokens_today),
        "cost": budget.money(spent.tokens),
        "stopped": budget.exhausted(spent) if runtime.language_model is not None else "",
        "error": backlog.error if backlog else "",
    }
