"""Everything the reference store holds, in plain dicts; a transaction works on a copy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

import msgspec

from combray.errors import NotFoundError
from combray.language.indexing import IndexEntry, index_entry
from combray.records import dataclass, field, fields
from combray.runtime import Document, Doubt, Lease, Run, Workspace
from combray.runtime.queue import Backlog, Job
from combray.types import LIVE_STATUSES, Edge, Memory, Version

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def seconds(moment: datetime) -> float:
    """Return unix seconds, from whole microseconds."""
    return ((moment - _EPOCH) // timedelta(microseconds=1)) / 1_000_000


def moment_at(unix: float) -> datetime:
    """Return the datetime of unix seconds, to the microsecond."""
    return _EPOCH + timedelta(microseconds=round(unix * 1_000_000))


class Row:
    """A memory with its key and its entry in the keyword index."""

    def __init__(self, key: int, memory: Memory) -> None:
        self.key = key
        self.memory = memory
        self.entry: IndexEntry = index_entry(memory)
        self.moment = seconds(memory.moment)
        self.shown = memory.trust != "quarantined"
        self.teaches = memory.status != "forgotten" and memory.trust in ("owner", "agent")
        self.live = memory.status in LIVE_STATUSES and self.shown
        self.entities = {name.casefold() for name in memory.entities}
        self.tags = {tag.casefold() for tag in memory.tags}


@dataclass(frozen=True, slots=True)
class ChunkRow:
    """One chunk: root and path of its file (None: loose), its place there, the hash of its text."""

    file: tuple[str, str] | None
    position: int
    hash: str


@dataclass
class NamespaceRows:
    """One namespace. Values are replaced and never changed in place, so a shallow copy is a copy."""

    revision: int = 0
    rows: dict[int, Row] = field(default_factory=dict)
    """By key, ascending."""
    versions: dict[int, tuple[Version, ...]] = field(default_factory=dict)
    edges: dict[tuple[int, int, str, str], Edge] = field(default_factory=dict)
    """By source key, target key, type, subtype."""
    vectors: dict[tuple[str, int], bytes] = field(default_factory=dict)
    """By model and key: int8 codes."""
    tokens: dict[tuple[str, int], bytes] = field(default_factory=dict)
    """By model and key: int8 codes of the tokens."""
    operations: list[dict[str, Any]] = field(default_factory=list)
    workspaces: dict[str, Workspace] = field(default_factory=dict)
    files: dict[tuple[str, str], Document] = field(default_factory=dict)
    chunks: dict[int, ChunkRow] = field(default_factory=dict)
    runs: dict[str, Run] = field(default_factory=dict)
    parts: dict[str, tuple[str, ...]] = field(default_factory=dict)
    doubts: dict[tuple[int, int], Doubt] = field(default_factory=dict)
    leases: dict[str, Lease] = field(default_factory=dict)
    kept: dict[str, str] = field(default_factory=dict)
    jobs: dict[tuple[int, str], Job] = field(default_factory=dict)
    """By key and model."""

    def row(self, key: int) -> Row:
        """Return the row with that key. Raises NotFoundError."""
        if key not in self.rows:
            raise NotFoundError(f"memory key {key} is not in this namespace. Read its key again by its id.")
        return self.rows[key]


@dataclass
class StoreState:
    """The whole store. Keys, operation numbers and the dimensions of a model are shared by all namespaces."""

    spaces: dict[str, NamespaceRows] = field(default_factory=dict)
    models: dict[str, int] = field(default_factory=dict)
    last_key: int = 0
    last_operation: int = 0


T = TypeVar("T", NamespaceRows, StoreState)


def copied(one: T) -> T:
    """Return a copy with dicts of its own."""
    return type(one)(**{each.name: copy(getattr(one, each.name)) for each in fields(one)})


class ReferenceDocuments:
    """Implements `runtime.Documents` and `runtime.DocumentsWriter`. `space` returns the current namespace."""

    def __init__(self, space: Callable[[], NamespaceRows]) -> None:
        self.space = space

    def workspaces(self) -> list[Workspace]:
        return list(self.space().workspaces.values())

    def files(self, root: str) -> list[Document]:
        return [each for place, each in sorted(self.space().files.items()) if place[0] == root]

    def chunks(self, root: str, path: str) -> list[tuple[int, str]]:
        chunks = self.space().chunks.items()
        held = sorted((each.position, key, each.hash) for key, each in chunks if each.file == (root, path))
        return [(key, digest) for _, key, digest in held]

    def chunk_count(self, root: str) -> int:
        return sum(each.file is not None and each.file[0] == root for each in self.space().chunks.values())

    def holding(self, hashes: Sequence[str]) -> dict[str, list[tuple[int, bool]]]:
        found: dict[str, list[tuple[int, bool]]] = {}
        for key, chunk in sorted(self.space().chunks.items()):
            if chunk.hash in hashes:
                found.setdefault(chunk.hash, []).append((key, chunk.file is None))
        return found

    def loose(self) -> list[int]:
        return sorted(key for key, chunk in self.space().chunks.items() if chunk.file is None)

    def put_workspace(self, workspace: Workspace) -> None:
        self.space().workspaces[workspace.root] = workspace

    def drop_workspace(self, root: str) -> None:
        for document in self.files(root):
            self.drop(root, document.path)
        self.space().workspaces.pop(root, None)

    def put(self, document: Document, chunks: Sequence[tuple[int, str]]) -> None:
        space, place = self.space(), (document.root, document.path)
        self.drop(*place)
        space.files[place] = document
        for position, (key, digest) in enumerate(chunks):
            space.row(key)
            space.chunks[key] = ChunkRow(place, position, digest)

    def drop(self, root: str, path: str) -> None:
        space = self.space()
        for key, _ in self.chunks(root, path):
            space.chunks[key] = replace(space.chunks[key], file=None)
        space.files.pop((root, path), None)


class ReferenceQueue:
    """Implements `runtime.Queue` and `runtime.QueueWriter`. `space` returns the current namespace."""

    def __init__(self, space: Callable[[], NamespaceRows]) -> None:
        self.space = space

    def jobs(self, model: str) -> list[Job]:
        return [job for (_, name), job in sorted(self.space().jobs.items()) if name == model]

    def backlogs(self) -> list[Backlog]:
        found = []
        for model in sorted({model for (_, model), job in self.space().jobs.items() if not job.done}):
            jobs = [job for job in self.jobs(model) if not job.done]
            failed = sum(job.failed for job in jobs)
            errors = sorted((job.next_at, job.key, job.error) for job in jobs if job.error)
            oldest = min(job.added for job in jobs)
            found.append(Backlog(model, len(jobs) - failed, failed, oldest, errors[-1][2] if errors else ""))
        return found

    def due(self, model: str, now: float) -> bool:
        return any(not job.done and not job.failed and job.next_at <= now for job in self.jobs(model))

    def holders(self, model: str) -> list[str]:
        return sorted({job.holder for job in self.jobs(model) if job.holder})

    def held(self, model: str, holder: str) -> list[Job]:
        return [job for job in self.jobs(model) if job.holder == holder]

    def given_up(self, model: str, limit: int) -> list[Job]:
        return [job for job in self.jobs(model) if job.failed][:limit]

    def orphans(self, model: str) -> list[int]:
        space = self.space()
        pending = [key for key, row in space.rows.items() if row.memory.status == "pending_embed"]
        return [key for key in pending if (key, model) not in space.jobs]

    def lacking(self, model: str) -> list[int]:
        space = self.space()
        live = [key for key, row in space.rows.items() if row.memory.status in LIVE_STATUSES]
        return [key for key in live if not {(model, key)} & (space.vectors.keys() | space.tokens.keys())]

    def unmarked(self, model: str, limit: int) -> list[int]:
        space = self.space()
        turns = [
            key
            for key, row in space.rows.items()
            if row.memory.kind == "episode" and row.memory.status in LIVE_STATUSES
        ]
        return [key for key in sorted(turns) if (key, model) not in space.jobs][:limit]

    def left_behind(self, model: str) -> bool:
        return bool({key for _, key in self.space().vectors}.intersection(self.lacking(model)))

    def put(self, model: str, keys: Sequence[int], at: float) -> int:
        space = self.space()
        before = len(space.jobs)
        for key in keys:
            space.row(key)
            space.jobs.setdefault((key, model), Job(key, model, at, next_at=at))
        return len(space.jobs) - before

    def take(self, model: str, holder: str, now: float, until: float, limit: int) -> list[Job]:
        due = [job for job in self.jobs(model) if not job.done and not job.failed and job.next_at <= now]
        due = sorted(due, key=lambda job: (job.next_at, job.key))[:limit]
        taken = [replace(job, attempts=job.attempts + 1, next_at=until, holder=holder) for job in due]
        self.update(taken)
        return taken

    def update(self, jobs: Sequence[Job]) -> None:
        known = self.space().jobs
        for job in jobs:
            if (job.key, job.model) in known:
                known[job.key, job.model] = replace(job, added=known[job.key, job.model].added)

    def release(self, holder: str, at: float) -> int:
        held = [job for job in self.space().jobs.values() if job.holder == holder]
        self.update([replace(job, holder="", next_at=at) for job in held])
        return len(held)

    def retry(self, model: str, at: float) -> int:
        failed = [job for job in self.jobs(model) if job.failed]
        self.update([replace(job, failed=False, attempts=0, next_at=at) for job in failed])
        return len(failed)

    def finish(self, model: str, keys: Sequence[int], *, activates: bool = True) -> None:
        space = self.space()
        for key in keys:
            space.jobs.pop((key, model), None)
            if activates and key in space.rows and space.rows[key].memory.status == "pending_embed":
                space.rows[key] = Row(key, msgspec.structs.replace(space.rows[key].memory, status="active"))

    def drop(self, model: str) -> int:
        jobs = self.jobs(model)
        for job in jobs:
            del self.space().jobs[job.key, model]
        return len(jobs)
