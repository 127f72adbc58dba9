"""Update the index to the files: changes are found by size and mtime, confirmed by hash, written in batches."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from typing import Any, TypeVar

from combray.documents.chunks import ChunkSize
from combray.documents.files import Arriving, Placing, ReadFile, UnreadableError, read
from combray.documents.placement import EmbedChunks, PlaceChunks
from combray.documents.trust import JudgeChunks
from combray.documents.workspace import FoundFile, find
from combray.pipeline import Pipeline, Transaction
from combray.records import dataclass, field
from combray.remember.guard import Guard
from combray.runtime import Document, Runtime, Workspace

BATCH = 256
"""Chunks per transaction. It bounds how long another writer waits and how much a crash repeats."""

T = TypeVar("T")

Progress = Callable[[int, int], None]
"""Called with the number of files done and the total."""


@dataclass(slots=True)
class IndexReport:
    """Counts of a sync. `files` and `chunks`: totals in the index; `skipped`: paths with reasons.

    `ignored`: files and folders that `.gitignore` and `.ignore` files leave out.

    Of the chunks in files that were read, `reused` kept their rows, `embedded` were embedded, and `quarantined`
    were quarantined.
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
    ignored: int = 0
    skipped: list[tuple[str, str]] = field(default_factory=list)
    degraded: tuple[str, ...] = ()
    seconds: float = 0.0

    def as_json(self) -> dict[str, Any]:
        """Return the counts by name."""
        skipped = [{"path": path, "reason": reason} for path, reason in self.skipped]
        return {**asdict(self), "skipped": skipped}


@dataclass(slots=True)
class Sync:
    """One sync of one workspace. `reread`: read every file, even with an unchanged mtime; `anew`: recompute every
    vector; `judge_all`: judge every chunk of the files that are read; `ignoring`: respect ignore files.

    There are two pipelines, because the next files are read, judged and embedded while the last ones are written.
    """

    namespace: str
    workspace: Workspace
    runtime: Runtime
    reread: bool = False
    anew: bool = False
    guard: Guard = field(default_factory=Guard)
    judge_all: bool = False
    ignoring: bool = True
    size: ChunkSize = field(default_factory=ChunkSize)
    progress: Progress | None = None
    report: IndexReport = field(default_factory=IndexReport)

    @property
    def judging(self) -> JudgeChunks:
        """The stage that judges chunks."""
        return JudgeChunks(self.guard, self.workspace.trust, self.judge_all)

    def run(self) -> IndexReport:
        """Run the sync. Raises InvalidInputError if the folder is missing, and StoreError."""
        started = time.perf_counter()
        documents = self.runtime.store.reader(self.namespace).documents
        # Registered before its files, so that the next search resumes a sync that was killed.
        if self.workspace not in documents.workspaces():
            with self.runtime.store.transaction(self.namespace) as tx:
                tx.documents.put_workspace(self.workspace)
        known = {each.path: each for each in documents.files(self.workspace.root)}
        found, self.report.skipped, self.report.ignored = find(self.workspace, ignoring=self.ignoring)
        stale = [each for each in found if self.reread or differs(each, known.get(each.place.path))]
        gone = sorted(known.keys() - {each.place.path for each in found})
        left_out: list[str] = []
        for batch, done in ahead(self._batches(stale, known, gone, left_out)):
            self._write(batch)
            if self.progress is not None:
                self.progress(done, len(stale))
        # Last, so that a text that moved from a deleted file to a new one keeps its vector.
        self.report.removed = len(gone) + len(left_out)
        if gone or left_out:
            self._write(self._prepared([], [*gone, *left_out]))
        documents = self.runtime.store.reader(self.namespace).documents
        self.report.files = len(documents.files(self.workspace.root))
        self.report.chunks = documents.chunk_count(self.workspace.root)
        self.report.skipped = sorted(set(self.report.skipped))
        self.report.seconds = round(time.perf_counter() - started, 3)
        return self.report

    def _batches(
        self, stale: list[FoundFile], known: dict[str, Document], gone: list[str], left_out: list[str]
    ) -> Iterator[tuple[Placing, int]]:
        """Yield batches of files ready to write, and the number read so far. Renamed files leave `gone`."""
        by_hash: dict[str, list[str]] = defaultdict(list)
        for path in gone:
            by_hash[known[path].hash].append(path)
        # Two workspaces may both have a MEMORY.md: only in the first one the session is the bare path.
        first = self.runtime.store.reader(self.namespace).documents.workspaces()[0].root
        prefix = "" if first == self.workspace.root else f"{self.workspace.root}/"
        batch: list[Arriving] = []
        size = 0
        for done, found in enumerate(stale, start=1):
            path = found.place.path
            try:
                file = read(self.workspace.root, found, redacted=self.workspace.redact, size=self.size)
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
        """Count a file as changed, renamed or added. Return the previous path of a renamed file."""
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
        reader, now = self.runtime.store.reader(self.namespace), self.runtime.clock()
        root, scope = self.workspace.root, self.workspace.scope
        state = Placing(
            self.namespace,
            root,
            arriving,
            gone,
            reader,
            now,
            scope,
            zone=self.runtime.zone,
            fresh_vectors=self.anew,
        )
        return Pipeline("documents.read", (self.judging, EmbedChunks()), ("files",)).run(state, self.runtime)

    def _write(self, state: Placing) -> None:
        known = ("files", "verdicts", "vectors")
        writing = Pipeline("documents.write", (Transaction((PlaceChunks(self.judging),)),), known)
        state = writing.run(state, self.runtime)
        if state.quarantined and self.runtime.audit is not None:
            self.runtime.audit.record("guard", self.namespace, result="quarantined", ids=state.quarantined)
        self.report.quarantined += len(state.quarantined)
        self.report.embedded += state.embedded
        self.report.reused += state.reused
        self.report.degraded = tuple(dict.fromkeys((*self.report.degraded, *state.degraded)))


def ahead(items: Iterator[T]) -> Iterator[T]:
    """Yield the same items; the next one is computed in a thread while the caller works on the current one."""
    with ThreadPoolExecutor(1, "combray-read") as thread:
        coming = thread.submit(next, items, None)
        while (item := coming.result()) is not None:
            coming = thread.submit(next, items, None)
            yield item


def differs(found: FoundFile, known: Document | None) -> bool:
    """Whether a file may have changed after it was indexed."""
    now = (found.size, found.modified, found.place.source)
    return known is None or (known.size, known.modified, known.source) != now


def is_stale(workspace: Workspace, runtime: Runtime, namespace: str, *, ignoring: bool = True) -> bool:
    """Whether files differ from the index, by size and mtime."""
    documents = runtime.store.reader(namespace).documents
    known = {each.path: each for each in documents.files(workspace.root)}
    found = find(workspace, ignoring=ignoring).files
    missing = known.keys() - {each.place.path for each in found}
    return bool(missing) or any(differs(each, known.get(each.place.path)) for each in found)
