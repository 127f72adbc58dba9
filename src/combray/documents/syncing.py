"""Bringing the index up to the files: what changed is found by size and time, told by hash, placed in batches."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from typing import Any, TypeVar

from combray.documents.judging import JudgeChunks
from combray.documents.placing import EmbedChunks, PlaceChunks
from combray.documents.reading import ReadFile, UnreadableError, read
from combray.documents.state import Arriving, Placing
from combray.documents.workspace import Found, find
from combray.pipeline import Pipeline, Transaction
from combray.remember.guard import Guard
from combray.runtime import Document, Runtime, Workspace

BATCH = 256
"""Chunks a transaction: a writer elsewhere waits no longer than for these, a crash repeats no more."""

T = TypeVar("T")

Progress = Callable[[int, int], None]
"""Called with the files done and the files to do."""


@dataclass(slots=True)
class IndexReport:
    """What a sync did. `files` and `chunks` are what is indexed now; `skipped` has paths with reasons.

    Of the chunks in files that were read, `reused` kept their rows, `embedded` were given to the embedder, and
    `quarantined` came into quarantine.
    """

    files: int = 0
    added: int = 0
    changed: int = 0
    removed: int = 0
    renamed: int = 0
    chunks: int = 0
    embedded: int = 0
    reused: int = 0
    erased: int = 0
    quarantined: int = 0
    skipped: list[tuple[str, str]] = field(default_factory=list)
    degraded: tuple[str, ...] = ()
    seconds: float = 0.0

    def as_json(self) -> dict[str, Any]:
        """For printing."""
        skipped = [{"path": path, "reason": reason} for path, reason in self.skipped]
        return {**asdict(self), "skipped": skipped}


@dataclass(slots=True)
class Sync:
    """One sync of one workspace. `reread` looks into every file, whatever its time says; `anew` takes no vector
    from the store; `judge_all` has the guard look at every chunk of the files that are read.

    Two pipelines, because the next files are read, judged and embedded while the last ones are written.
    """

    namespace: str
    workspace: Workspace
    runtime: Runtime
    reread: bool = False
    anew: bool = False
    guard: Guard = field(default_factory=Guard)
    judge_all: bool = False
    progress: Progress | None = None
    report: IndexReport = field(default_factory=IndexReport)

    @property
    def judging(self) -> JudgeChunks:
        """How chunks are judged."""
        return JudgeChunks(self.guard, self.workspace.trust, self.judge_all)

    @property
    def reading(self) -> Pipeline[Placing]:
        """What goes before the transaction."""
        return Pipeline("documents.read", (self.judging, EmbedChunks()), ("files",))

    @property
    def writing(self) -> Pipeline[Placing]:
        """The transaction."""
        known = ("files", "verdicts", "vectors")
        return Pipeline("documents.write", (Transaction((PlaceChunks(self.judging),)),), known)

    def run(self) -> IndexReport:
        """Do it. Raises InvalidInputError when the folder is gone, and StoreError."""
        started = time.perf_counter()
        self._register()
        documents = self.runtime.store.reader(self.namespace).documents
        known = {each.path: each for each in documents.files(self.workspace.root)}
        found, self.report.skipped = find(self.workspace)
        stale = [each for each in found if self.reread or differs(each, known.get(each.place.path))]
        gone = sorted(known.keys() - {each.place.path for each in found})
        left_out: list[str] = []
        for batch, done in ahead(self._batches(stale, known, gone, left_out)):
            self._write(batch)
            if self.progress is not None:
                self.progress(done, len(stale))
        # Last: a text that moved from a file that is gone to one that came has its vector until then.
        self.report.removed = len(gone) + len(left_out)
        if gone or left_out:
            self._write(self._prepared([], [*gone, *left_out]))
        self._count()
        self.report.seconds = round(time.perf_counter() - started, 3)
        return self.report

    def _register(self) -> None:
        """Make the workspace known before its files: a killed first sync goes on with the next search."""
        if self.workspace not in self.runtime.store.reader(self.namespace).documents.workspaces():
            with self.runtime.store.transaction(self.namespace) as tx:
                tx.documents.put_workspace(self.workspace)

    def _session_prefix(self) -> str:
        """Two workspaces may both have a MEMORY.md: only those of the first have the bare path as session."""
        first = self.runtime.store.reader(self.namespace).documents.workspaces()[0].root
        return "" if first == self.workspace.root else f"{self.workspace.root}/"

    def _batches(
        self, stale: list[Found], known: dict[str, Document], gone: list[str], left_out: list[str]
    ) -> Iterator[tuple[Placing, int]]:
        """Files ready to write, some at a time, and how many were looked at. Renamed ones leave `gone`."""
        by_hash: dict[str, list[str]] = defaultdict(list)
        for path in gone:
            by_hash[known[path].hash].append(path)
        prefix = self._session_prefix()
        batch: list[Arriving] = []
        size = 0
        for done, found in enumerate(stale, start=1):
            path = found.place.path
            try:
                file = read(self.workspace.root, found, redacted=self.workspace.redact)
            except UnreadableError as error:
                self.report.skipped.append((path, str(error)))
                left_out += [path] if path in known else []
            else:
                moved = self._sort_out(file, known.get(path), by_hash)
                if moved is not None:
                    gone.remove(moved)
                batch.append(Arriving(file, prefix + path, moved))
                size += len(file.chunks)
            if batch and (size >= BATCH or done == len(stale)):
                yield self._prepared(batch, []), done
                batch, size = [], 0

    def _sort_out(self, file: ReadFile, known: Document | None, by_hash: dict[str, list[str]]) -> str | None:
        """Count a file as changed, renamed or added; the path it had before."""
        if known is not None:
            self.report.changed += known.hash != file.document.hash
            return None
        same = by_hash.get(file.document.hash)
        if same and file.chunks:
            self.report.renamed += 1
            return same.pop(0)
        self.report.added += 1
        return None

    def _prepared(self, arriving: list[Arriving], gone: list[str]) -> Placing:
        store = self.runtime.store
        state = Placing(
            self.namespace,
            self.workspace.root,
            arriving,
            gone,
            store.reader(self.namespace),
            self.runtime.clock(),
            fresh_vectors=self.anew,
        )
        return self.reading.run(state, self.runtime)

    def _write(self, state: Placing) -> None:
        state = self.writing.run(state, self.runtime)
        if state.quarantined and self.runtime.audit is not None:
            self.runtime.audit.record("guard", self.namespace, result="quarantined", ids=state.quarantined)
        self.report.quarantined += len(state.quarantined)
        self.report.embedded += state.embedded
        self.report.reused += state.reused
        self.report.degraded = tuple(dict.fromkeys((*self.report.degraded, *state.degraded)))

    def _count(self) -> None:
        documents = self.runtime.store.reader(self.namespace).documents
        self.report.files = len(documents.files(self.workspace.root))
        self.report.chunks = documents.chunk_count(self.workspace.root)
        self.report.skipped = sorted(set(self.report.skipped))


def ahead(items: Iterator[T]) -> Iterator[T]:
    """The same items; each next one is made in a thread while the caller works on the last."""
    with ThreadPoolExecutor(1, "combray-read") as thread:
        coming = thread.submit(next, items, None)
        while (item := coming.result()) is not None:
            coming = thread.submit(next, items, None)
            yield item


def differs(found: Found, known: Document | None) -> bool:
    """Whether a file may have another content than when it was read."""
    return known is None or (known.size, known.modified, known.source) != (
        found.size,
        found.modified,
        found.place.source,
    )


def is_stale(workspace: Workspace, runtime: Runtime, namespace: str) -> bool:
    """Whether the files are other than the index says, by size and time alone."""
    documents = runtime.store.reader(namespace).documents
    known = {each.path: each for each in documents.files(workspace.root)}
    found, _ = find(workspace)
    missing = known.keys() - {each.place.path for each in found}
    return bool(missing) or any(differs(each, known.get(each.place.path)) for each in found)
