"""The store as a whole: status, log, doctor, backup, export and import."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from combray.audit.audited import record_read
from combray.engine.namespace import Namespace
from combray.engine.service_tier import model_usage, tier_monitor
from combray.errors import InvalidInputError, ModelError
from combray.runtime import Embedder, Reader
from combray.runtime.service_tier import Tier
from combray.settings import read_prices
from combray.types import LIVE_STATUSES

if TYPE_CHECKING:
    from combray.transfer import ImportReport
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
        reader = self._at.reader
        counts = reader.status()
        live = sum(counts["by_status"].get(each, 0) for each in ("active", "pending_embed"))
        tier = self.tier(check=True)
        return {
            "tier": {"tier": tier.name, "why": tier.why, "since": datetime.fromtimestamp(tier.since, UTC)},
            "location": self._at.runtime.store.location,
            "writable": self._at.runtime.store.writable,
            "audit": self._audit_finding("status").detail,
            "namespace": self._at.namespace,
            "namespaces": self.namespaces(),
            "preset": self._at.preset.name,
            "embedder": self._at.runtime.embedder.name if self._at.runtime.embedder else "none",
            "models": self._models_fared(),
            "total_insights": live,
            **counts,
            **self._waiting(reader),
            "edge_count": sum(counts["edges"].values()),
            "top_entities": [{"entity": name, "count": count} for name, count in reader.entity_counts(20)],
        }

    def _models_fared(self) -> list[dict[str, Any]]:
        runtime = self._at.runtime
        models = {
            "embedder": runtime.embedder,
            "reranker": runtime.reranker,
            "language_model": runtime.language_model,
        }
        return model_usage(models, runtime.peers, read_prices(str(self._at.settings.get("prices", ""))))

    def _waiting(self, reader: Reader) -> dict[str, Any]:
        """The queue of vectors by model, and how many live memories have none of the embedder's."""
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
        return {"without_vector": lacking, "queue": queue}

    def tier(self, *, check: bool = False) -> Tier:
        """Return the service tier: FULL, STANDARD, BASIC or READONLY, why, and since when.

        See docs/reference/service-tiers.md. A store that could not be written is checked again
        every 60 s, or at once with `check`. No model is called.
        """
        return tier_monitor(self._at.runtime).now(check=check)

    def log(self, limit: int = 20) -> list[dict[str, Any]]:
        """The latest operations, newest first."""
        if not isinstance(limit, int) or isinstance(limit, bool) or limit < 1:
            raise InvalidInputError("limit", f"{limit!r} is out of range.", "Use 1 or more.")
        # SQLite counts no further.
        return self._at.reader.log(min(limit, 2**63 - 1))

    def doctor(self, *, repair: bool = False) -> list[Finding]:
        """Check the file, the embedder and the vectors; `repair` first rebuilds what can be rebuilt."""
        findings = []
        if repair:
            findings += [Finding("repair", True, done) for done in self._at.runtime.store.repair()]
        problems = self._at.runtime.store.check()
        findings += [Finding("store", False, problem) for problem in problems]
        if not problems:
            findings.append(Finding("store", True, f"{self._at.runtime.store.location} is sound"))
        findings.append(
            Finding(
                "writing",
                self._at.runtime.store.writable,
                "the file can be written to" if self._at.runtime.store.writable else "the file is read-only",
            )
        )
        findings.append(self._audit_finding("doctor"))
        findings.append(self._embedder_finding())
        findings.append(self._vector_finding())
        findings.append(self._queue_finding())
        return findings

    def _audit_finding(self, verb: str) -> Finding:
        if self._at.runtime.audit is None:
            return Finding("audit", True, "switched off")
        self._at.runtime.audit.record(verb, self._at.namespace)
        problem = self._at.runtime.audit.problem
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
        backlogs = self._at.reader.queue.backlogs()
        waiting, failed = (sum(getattr(each, name) for each in backlogs) for name in ("waiting", "failed"))
        detail = f"{waiting} memories wait for a vector"
        if failed:
            error = next(each.error for each in backlogs if each.failed)
            detail += (
                f", {failed} were given up ({error}); 'combray worker --once --retry-failed' tries them again"
            )
        return Finding("queue", not failed, detail)

    def backup(self, path: str, *, key: str | bytes | None = None) -> None:
        """Write a consistent copy of the whole store to a new file.

        An encrypted store gives an encrypted copy with the same key. `key` encrypts the copy with that key.
        """
        self._at.runtime.store.backup(path, key)
        if self._at.runtime.audit is not None:
            # A file's name may hold bytes that are no UTF-8.
            told = str(Path(path).absolute()).encode("utf-8", "backslashreplace").decode()
            self._at.runtime.audit.record("backup", self._at.namespace, detail={"path": told})

    def export_to(self, stream: TextSink) -> int:
        """Write the namespace as JSON lines: memories of any status, history, edges. Returns how many memories.

        Open the file with `encoding="utf-8", newline="\\n"`. Raises StoreBusyError; see
        `combray.transfer.export_to`.
        """
        from combray.transfer import export_to

        count = export_to(self._at.runtime.store, self._at.namespace, stream)
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
            self._at,
            self._at.namespace,
            lines,
            dry_run=dry_run,
            skip_bad=skip_bad,
            diff=diff,
            trusted=trusted,
            embedder=embedder,
            progress=progress,
        )
