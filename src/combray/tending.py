"""The store as a whole: status, log, doctor, backup."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from combray.errors import InvalidInputError, ModelError
from combray.runtime import Reader, Runtime


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

        @property
        def reader(self) -> Reader: ...  # noqa: D102
        @property
        def preset(self) -> str: ...  # noqa: D102

    def status(self) -> dict[str, Any]:
        """Counts by status, kind and category; edges, vectors, top entities; where and how it runs."""
        reader = self.reader
        counts = reader.status()
        live = sum(counts["by_status"].get(each, 0) for each in ("active", "pending_embed"))
        return {
            "location": self.runtime.store.location,
            "writable": self.runtime.store.writable,
            "namespace": self.namespace,
            "namespaces": self.runtime.store.namespaces(),
            "preset": self.preset,
            "embedder": self.runtime.embedder.name if self.runtime.embedder else "none",
            "total_insights": live,
            **counts,
            "edge_count": sum(counts["edges"].values()),
            "top_entities": [{"entity": name, "count": count} for name, count in reader.entity_counts(20)],
        }

    def log(self, limit: int = 20) -> list[dict[str, Any]]:
        """The latest operations, newest first."""
        if not isinstance(limit, int) or isinstance(limit, bool) or limit < 1:
            raise InvalidInputError("limit", f"{limit!r} is out of range.", "Use 1 or more.")
        return self.reader.log(limit)

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
        findings.append(self._embedder_finding())
        findings.append(self._vector_finding())
        return findings

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
        counts = self.reader.status()
        live = sum(counts["by_status"].values())
        if self.runtime.embedder is None:
            return Finding("vectors", True, "not needed")
        have = counts["vectors"].get(self.runtime.embedder.name, 0)
        detail = f"{have} of {live} memories have a vector of {self.runtime.embedder.name}"
        others = sorted(set(counts["vectors"]) - {self.runtime.embedder.name})
        if others:
            detail += f"; there are vectors of {', '.join(others)} too"
        return Finding("vectors", have >= live, detail)

    def backup(self, path: str) -> None:
        """Write a consistent copy of the whole store to a new file."""
        self.runtime.store.backup(path)
