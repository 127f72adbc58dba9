"""The store as a whole: status, log, doctor, backup."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from combray.errors import InvalidInputError, ModelError
from combray.runtime import Reader, Runtime
from combray.runtime.service_tier import ServiceTier, Tier, fared
from combray.settings import read_prices
from combray.types import LIVE_STATUSES


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing the doctor looked at."""

    name: str
    ok: bool
    detail: str


class Tending:
    """The engine's verbs on the whole namespace or store."""

    if TYPE_CHECKING:
        runtime: Runtime
        namespace: str
        settings: Mapping[str, Any]

        @property
        def reader(self) -> Reader: ...  # noqa: D102
        @property
        def preset(self) -> str: ...  # noqa: D102

    def status(self) -> dict[str, Any]:
        """Counts by status, kind and category; edges, vectors, top entities; where and how it runs."""
        reader = self.reader
        counts = reader.status()
        live = sum(counts["by_status"].get(each, 0) for each in ("active", "pending_embed"))
        tier = self.tier(check=True)
        return {
            "tier": {"tier": tier.name, "why": tier.why, "since": datetime.fromtimestamp(tier.since, UTC)},
            "location": self.runtime.store.location,
            "writable": self.runtime.store.writable,
            "audit": self._audit_finding("status").detail,
            "namespace": self.namespace,
            "namespaces": self.runtime.store.namespaces(),
            "preset": self.preset,
            "embedder": self.runtime.embedder.name if self.runtime.embedder else "none",
            "models": self._models_fared(),
            "total_insights": live,
            **counts,
            **self._waiting(reader),
            "edge_count": sum(counts["edges"].values()),
            "top_entities": [{"entity": name, "count": count} for name, count in reader.entity_counts(20)],
        }

    def _models_fared(self) -> list[dict[str, Any]]:
        runtime = self.runtime
        models = {
            "embedder": runtime.embedder,
            "reranker": runtime.reranker,
            "language_model": runtime.language_model,
        }
        return fared(models, runtime.peers, read_prices(str(self.settings.get("prices", ""))))

    def _waiting(self, reader: Reader) -> dict[str, Any]:
        """The queue of vectors by model, and how many live memories have none of the embedder's."""
        now = self.runtime.clock()
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
        embedder = self.runtime.embedder
        lacking = len(reader.queue.lacking(embedder.name)) if embedder is not None else 0
        return {"without_vector": lacking, "queue": queue}

    def tier(self, *, check: bool = False) -> Tier:
        """Return the service tier: FULL, STANDARD, BASIC or READONLY, why, and since when.

        See docs/reference/service-tiers.md. A store that could not be written is checked again
        every 60 s, or at once with `check`. No model is called.
        """
        runtime = self.runtime
        watch = runtime.service_tier or ServiceTier(
            runtime.store, runtime.embedder, runtime.language_model, runtime.clock
        )
        return watch.now(check=check)

    def log(self, limit: int = 20) -> list[dict[str, Any]]:
        """The latest operations, newest first."""
        if not isinstance(limit, int) or isinstance(limit, bool) or limit < 1:
            raise InvalidInputError("limit", f"{limit!r} is out of range.", "Use 1 or more.")
        # SQLite counts no further.
        return self.reader.log(min(limit, 2**63 - 1))

    def doctor(self, *, repair: bool = False) -> list[Finding]:
        """Look at the file, the embedder and the vectors; `repair` rebuilds what can be rebuilt first."""
        findings = []
        if repair:
            findings += [Finding("repair", True, done) for done in self.runtime.store.repair()]
        problems = self.runtime.store.check()
        findings += [Finding("store", False, problem) for problem in problems]
        if not problems:
            findings.append(Finding("store", True, f"{self.runtime.store.location} is sound"))
        findings.append(
            Finding(
                "writing",
                self.runtime.store.writable,
                "the file can be written to" if self.runtime.store.writable else "the file is read-only",
            )
        )
        findings.append(self._audit_finding("doctor"))
        findings.append(self._embedder_finding())
        findings.append(self._vector_finding())
        findings.append(self._queue_finding())
        return findings

    def _audit_finding(self, verb: str) -> Finding:
        if self.runtime.audit is None:
            return Finding("audit", True, "switched off")
        self.runtime.audit.record(verb, self.namespace)
        problem = self.runtime.audit.problem
        detail = f"{problem}: reads answer without an entry, writes are refused" if problem else "can be written"
        return Finding("audit", not problem, detail)

    def _embedder_finding(self) -> Finding:
        embedder = self.runtime.embedder
        if embedder is None:
            return Finding("embedder", True, "none: recall uses keywords and the graph")
        try:
            embedder.embed(["hello"])
        except ModelError as error:
            return Finding("embedder", False, str(error))
        return Finding("embedder", True, f"{embedder.name} answers, {embedder.dimensions} dimensions")

    def _vector_finding(self) -> Finding:
        if self.runtime.embedder is None:
            return Finding("vectors", True, "not needed")
        reader, model = self.reader, self.runtime.embedder.name
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
        backlogs = self.reader.queue.backlogs()
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

        It is encrypted if the store is, with the same key; with `key` it is in any case, with that one.
        """
        self.runtime.store.backup(path, key)
        if self.runtime.audit is not None:
            # A file's name may hold bytes that are no UTF-8.
            told = str(Path(path).absolute()).encode("utf-8", "backslashreplace").decode()
            self.runtime.audit.record("backup", self.namespace, detail={"path": told})
