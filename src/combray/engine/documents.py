"""Folders of Markdown: index, search, read and watch them.

Verbs import the package `documents` when they need it, which keeps the start of the shell fast.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from combray.audit.audited import audited
from combray.engine.namespace import Namespace, Verbs
from combray.errors import InvalidInputError, StoreBusyError, StoreError
from combray.remember.validate import scope_tag
from combray.runtime.calls import briefly
from combray.types import RecallOptions
from combray.values import one_of, whole

if TYPE_CHECKING:
    from combray.documents.chunks import ChunkSize
    from combray.documents.passages import Excerpt, Passages
    from combray.documents.sync import IndexReport, Progress
    from combray.documents.watcher import Watcher
    from combray.presets import Preset
    from combray.runtime import Workspace

LOOK_EVERY = 2.0
"""Minimum seconds between two checks of an unwatched folder's files when it is searched."""
MAX_RESULTS = 1_000
MAX_LINES = 100_000
PRESET = "openclaw"
FOLDER_TRUSTS = ("owner", "agent", "untrusted")
"""Trust levels that a folder can have."""

Paths = Sequence[str | os.PathLike[str]]


class _Freshness:
    """When the files of each workspace were last checked, and their watchers. Safe for threads."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.looked: dict[str, float] = {}
        self.watchers: dict[str, Watcher] = {}
        self.dirty: set[str] = set()

    def due(self, root: str) -> bool:
        """Whether a search must check the files first."""
        watcher = self.watchers.get(root)
        if watcher is not None and watcher.alive and root in self.looked:
            return root in self.dirty
        last = self.looked.get(root)
        return last is None or time.monotonic() - last >= LOOK_EVERY

    def seen(self, root: str) -> None:
        """Record that the files are being checked. Later changes mark the folder dirty again."""
        self.dirty.discard(root)
        self.looked[root] = time.monotonic()


class Documents:
    """`engine.documents`: folders of Markdown and transcripts, indexed, watched, searched and read."""

    def __init__(self, at: Namespace) -> None:
        self._at = at
        self._freshness = _Freshness()

    def index(
        self,
        folder: str | os.PathLike[str],
        *,
        extra: Paths = (),
        sessions: Paths = (),
        redact: bool = False,
        trust: str | None = None,
        scope: str | None = None,
        progress: Progress | None = None,
        rebuild: bool = False,
    ) -> IndexReport:
        """Index a folder of Markdown, or update its index. Later searches update it too.

        In an agent workspace (one with MEMORY.md, memory.md or memory/) only those are indexed, otherwise every
        `*.md`. `extra`: further Markdown files or folders. `sessions`: transcripts, `*.jsonl`. `redact`: remove
        secrets from notes too; they are always removed from transcripts. `trust`: "owner", "agent" or
        "untrusted" (third-party content); None keeps the folder's trust, "owner" for a new one. The guard judges
        chunks by it. `scope`: the scope of the chunks, such as "user:ann"; "" for none, None keeps the folder's.
        `rebuild`: read, judge and embed every file again, and erase chunks that no file contains.
        `progress` is called with the counts of files done and in total.

        Unreadable files are in `skipped`, with the reason. Raises InvalidInputError for a missing path, and
        StoreError.
        """
        from combray.documents.workspace import open_workspace

        workspace = replace(open_workspace(folder, extra, sessions), redact=bool(redact))
        before = self._folder(workspace.root) or workspace
        workspace = replace(
            workspace,
            trust=before.trust if trust is None else one_of("trust", trust, FOLDER_TRUSTS),
            scope=before.scope if scope is None else scope and scope_tag(scope),
        )
        with self._freshness.lock:
            return self._sync(workspace, rebuild=rebuild, progress=progress, explicit=True)

    @audited("unindex", reads=False)
    def drop(self, folder: str | os.PathLike[str]) -> int:
        """Remove a folder from the index: its chunks are hidden. Return how many chunks it had.

        The next `index(..., rebuild=True)` of any folder erases them. Raises InvalidInputError.
        """
        from combray.documents.workspace import resolved

        known = {each.root for each in self.folders()}
        root = resolved("folder", folder)
        if root not in known:
            raise InvalidInputError("folder", f"{root} is not indexed.", "Indexed: " + ", ".join(sorted(known)))
        with self._freshness.lock, self._at.runtime.store.transaction(self._at.namespace) as tx:
            count = tx.documents.chunk_count(root)
            tx.documents.drop_workspace(root)
            keys = tx.documents.loose()
            for key, memory in zip(keys, tx.memories(keys), strict=True):
                if memory.status != "forgotten":
                    tx.change(key, "unindex", "combray", self._at.runtime.clock(), status="forgotten")
        return count

    def watch(self, folder: str | os.PathLike[str]) -> Watcher:
        """Watch an indexed folder, so that searches check its files only after a change.

        Close the watcher when done. Raises InvalidInputError for a folder that is not indexed, and
        MissingExtraError without watchfiles.
        """
        from combray.documents.watcher import Watcher
        from combray.documents.workspace import real_path

        root = real_path("folder", folder)
        workspace = self._folder(root)
        if workspace is None:
            raise InvalidInputError("folder", f"{root} is not indexed.", "Index it first.")
        freshness = self._freshness
        watcher = Watcher(workspace, lambda _: freshness.dirty.add(root))
        freshness.watchers[root] = watcher
        # The next search finds changes made before the watcher started.
        freshness.looked.pop(root, None)
        return watcher

    def follow(
        self, folder: str | os.PathLike[str], *, stop: threading.Event | None = None
    ) -> Iterator[IndexReport]:
        """Index a folder now and after every change of its files until `stop` is set. Yield a report each time.

        An indexed folder keeps its extra paths and transcripts. Changes that do not affect the index give no
        report. Raises what `index` raises, and MissingExtraError without watchfiles.
        """
        from combray.documents.watcher import changes
        from combray.documents.workspace import open_workspace

        given = open_workspace(folder)
        workspace = self._folder(given.root) or given
        # Watching begins before the first check, so that no change is missed between the two.
        bursts = changes(workspace, stop, ready=True)
        next(bursts)
        with self._freshness.lock:
            yield self._sync(workspace, explicit=True)
        for _ in bursts:
            with self._freshness.lock:
                report = self._sync(workspace, explicit=False)
            if report.added or report.changed or report.renamed or report.removed:
                yield report

    @audited("memory_search", asks=True)
    def search(
        self,
        query: str,
        *,
        max_results: int = 6,
        min_score: float | None = None,
        sources: Sequence[str] = (),
        scope: str | None = None,
        preset: str | Preset = PRESET,
    ) -> Passages:
        """Return passages of the indexed files that answer a query, best first, with path and lines.

        `sources`: "memory", "sessions" or both (empty). `scope`: only folders of this scope. `min_score` None
        takes the preset's. Changed files are indexed first. Raises InvalidInputError.
        """
        from combray.documents.passages import Passages, passages_of
        from combray.documents.workspace import SOURCES

        for source in (sources,) if isinstance(sources, str) else sources:
            one_of("sources", source, SOURCES)
        limit = whole("max_results", max_results, 1, MAX_RESULTS)
        warning, stale = self._catch_up()
        options: RecallOptions = {"kinds": ("chunk",)}
        if sources:
            options["sources"] = sources
        if scope is not None:
            options["tags"] = (scope_tag(scope),)
        if min_score is not None:
            options["min_score"] = min_score
        answer = Verbs(self._at).recall(query, limit=limit, preset=preset, **options)
        embedder = self._at.runtime.embedder
        reason = answer.reason
        if not self.folders():
            reason = "nothing is indexed yet: index a folder first"
        return Passages(
            query=query,
            passages=passages_of(answer),
            mode="fts-only" if embedder is None or answer.details.get("degraded") else "hybrid",
            provider=embedder.name.partition(":")[0] if embedder else "none",
            model=embedder.name if embedder else "",
            reason=reason,
            stale=stale,
            warning=warning,
            details=answer.details,
        )

    @audited("memory_get")
    def read(
        self, path: str, *, start: int | None = None, lines: int | None = None, withhold: bool = False
    ) -> Excerpt:
        """Return lines of an indexed file from line `start` (default 1), at most `lines` and 16,000 characters.

        A transcript gives its indexed messages, a missing file an empty text. `quarantined` lists quarantined
        lines. `withhold`, for output to a model, replaces them by a note and refuses files below the namespace's
        required trust. Raises InvalidInputError for paths outside of the indexed folders, for links, and for
        files that are neither Markdown nor transcripts.
        """
        from combray.documents.files import UnreadableError, decode, read_bytes, read_lines
        from combray.documents.passages import Excerpt, excerpt_of, kept_apart, withheld
        from combray.documents.trust import JudgeChunks
        from combray.documents.workspace import locate

        first = 1 if start is None else whole("start", start, 1, 2**31)
        most = MAX_LINES if lines is None else whole("lines", lines, 1, MAX_LINES)
        for workspace, place in locate(self.folders(), path, ignoring=self._ignoring):
            try:
                data, _, _ = read_bytes(place)
                text = decode(data)
            except FileNotFoundError:
                continue
            except UnreadableError as error:
                raise InvalidInputError("path", f"{path!r} is {error}.") from None
            except OSError as error:
                raise InvalidInputError("path", f"{path!r} cannot be read ({error.strerror}).") from None
            if withhold and workspace.trust not in self._at.trusts:
                shown = ", ".join(self._at.trusts)
                raise InvalidInputError("path", f"{path!r} is {workspace.trust}.", f"Shown here: {shown}.")
            held = read_lines(place, text, redacted=workspace.redact)
            indexed = self._at.reader.documents.chunks(workspace.root, place.path)
            judging = JudgeChunks(self._at.guard, workspace.trust)
            part = excerpt_of(place.path, held, first, most)
            found = kept_apart(part, held, indexed, self._at.reader, judging, self._size())
            return withheld(found, held) if withhold else found
        return Excerpt("", path)

    def folders(self) -> list[Workspace]:
        """Return the indexed folders."""
        return self._at.reader.documents.workspaces()

    @property
    def _ignoring(self) -> bool:
        return bool(self._at.settings.get("ignore_files", True))

    def _size(self) -> ChunkSize:
        """The size of chunks in the settings."""
        from combray.documents.chunks import ChunkSize

        given = (self._at.settings.get(name) for name in ("chunk_tokens", "chunk_overlap"))
        return ChunkSize(*(each for each in given if each is not None))

    def _folder(self, root: str) -> Workspace | None:
        return next((each for each in self.folders() if each.root == root), None)

    @audited("index", reads=False)
    def _sync(
        self, workspace: Workspace, *, rebuild: bool = False, progress: Progress | None = None, explicit: bool
    ) -> IndexReport:
        """Sync a workspace, and record the embedder that all its chunks have a vector of."""
        from combray.documents.sync import Sync

        before = self._folder(workspace.root)
        guard = self._at.guard
        # A folder is judged again when its trust changes, and when it was indexed without a guard.
        judge_all = before is not None and (
            rebuild or before.trust != workspace.trust or (guard.enabled and not before.judged)
        )
        judged = guard.enabled and (before is None or before.judged) and not judge_all
        model = self._at.runtime.embedder.name if self._at.runtime.embedder else ""
        kept = before.model if before else model
        otherwise = (
            before is not None
            and explicit
            and (
                (before.redact, before.scope) != (workspace.redact, workspace.scope)
                or model not in ("", before.model)
            )
        )
        workspace = replace(workspace, model=kept, judged=judged)
        self._freshness.seen(workspace.root)
        report = Sync(
            self._at.namespace,
            workspace,
            self._at.runtime,
            reread=rebuild or otherwise or judge_all,
            anew=rebuild,
            guard=guard,
            judge_all=judge_all,
            size=self._size(),
            ignoring=self._ignoring,
            progress=progress,
        ).run()
        wrote = report.added or report.changed
        whole_model = model if (otherwise or rebuild) and not report.degraded else kept
        if report.degraded or (wrote and not model):
            whole_model = ""
        loose = self._at.reader.documents.loose() if rebuild else []
        if whole_model != kept or loose or guard.enabled != judged:
            with self._at.runtime.store.transaction(self._at.namespace) as tx:
                tx.documents.put_workspace(replace(workspace, model=whole_model, judged=guard.enabled))
                if loose:
                    tx.erase(loose, self._at.runtime.clock())
        report.erased = len(loose)
        return report

    def _catch_up(self) -> tuple[str, bool]:
        """Sync every workspace that is due. Return a warning, and whether files are newer than the index."""
        from combray.documents.sync import is_stale

        warnings: list[str] = []
        stale = False
        embedder = self._at.runtime.embedder
        for workspace in filter(lambda each: self._freshness.due(each.root), self.folders()):
            with self._freshness.lock:
                try:
                    if not self._at.runtime.store.writable:
                        if is_stale(workspace, self._at.runtime, self._at.namespace, ignoring=self._ignoring):
                            stale = True
                            warnings.append(f"{workspace.root}: files have changed, but the store is read-only")
                    else:
                        with briefly():
                            self._sync(workspace, explicit=False)
                except StoreBusyError as error:
                    # The next search tries again: a search waits for no writer.
                    self._freshness.looked.pop(workspace.root, None)
                    stale = True
                    warnings.append(str(error))
                except (InvalidInputError, StoreError, OSError) as error:
                    stale = True
                    warnings.append(str(error))
        for workspace in self.folders():
            if embedder is not None and workspace.model != embedder.name:
                warnings.append(
                    f"{workspace.root}: some chunks have no vector of {embedder.name}; index it again"
                )
        return "; ".join(warnings), stale
