"""Moves a namespace from one store to another: batch by batch, resumable, verified by count and checksum.

A batch is one transaction of the target, and one of the source. A move that was interrupted begins anew and skips
what is there. The source may be written to meanwhile: passes follow one another until nothing changes during one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from typing import Any, NamedTuple

import msgspec
import numpy as np

from combray.errors import StoreBusyError, StoreError
from combray.language.indexing import with_current_hash
from combray.records import dataclass, replace
from combray.runtime import Arrival, Filter, Link, Reader, Store, Writer
from combray.runtime.queue import EXTRACTION
from combray.types import Edge, Memory, Version

_EVERYTHING = Filter(statuses=(), trusts=())
_AT_ONCE = 500
_PASSES = 10
_MOST_LINES = 2**62
_NO_TIME = 0.0
"""When a move erases something of the target."""
_STATE = "moved"
"""Name of the kept value of the target: which store the namespace came from, and how far the move is."""
_encode = msgspec.json.Encoder(order="deterministic").encode

Progress = Callable[[str, int, int], None]
"""Called after each batch with the namespace, how many memories are done, and how many there are."""


@dataclass(frozen=True, slots=True)
class Moved:
    """What a move did to a namespace. `checksum` is the same in both stores; `copied`: by this call."""

    namespace: str
    memories: int
    edges: int
    copied: int
    checksum: str


def move(source: Store, target: Store, namespace: str, progress: Progress | None = None) -> Moved:
    """Copy memories with histories, vectors, edges, files, queue, runs and log. The source is only read.

    Keys are new, in the same order. Leases and the counters that stages keep between writes are not copied.
    Raises StoreError if the target's namespace has memories of another origin, or fails verification;
    StoreBusyError if the source changed during each of ten passes.
    """
    origin = hashlib.sha256(source.location.encode()).hexdigest()[:16]
    pass_ = _Pass(source, target, namespace, origin, _claim(target, namespace, origin))
    for _ in range(_PASSES):
        with source.view(namespace) as view:
            revision = view.revision()
            if any(run.state == "running" for run in view.runs(10)):
                raise StoreError(
                    f"namespace {namespace!r} is being consolidated. Run combray consolidate to its end."
                )
        pass_.copy(progress)
        if source.reader(namespace).revision() != revision:
            continue
        wanted, found = checksum(source, namespace), checksum(target, namespace)
        # What was written during the comparison may be in one sum and not in the other.
        if source.reader(namespace).revision() == revision:
            break
    else:
        raise StoreBusyError(
            f"namespace {namespace!r} changed during each of {_PASSES} passes. Stop its writers."
        )
    if wanted != found:
        raise StoreError(
            f"namespace {namespace!r} differs after the move: {wanted.memories} memories and {found.memories}, "
            f"checksums {wanted.sum} and {found.sum}. Erase the copy and move again."
        )
    with target.transaction(namespace) as tx:
        tx.keep(_STATE, f"{origin} done {target.reader(namespace).revision() + 1}")
    return Moved(namespace, wanted.memories, wanted.edges, pass_.copied, wanted.sum)


class Checksum(NamedTuple):
    """What is compared after a move."""

    memories: int
    edges: int
    sum: str


def checksum(store: Store, namespace: str) -> Checksum:
    """Return a sum over memories, histories, vectors and edges in any order.

    It is read in several transactions, and valid only if the namespace has the same revision before and after.
    """
    total, count = 0, 0
    for batch in _batches(store, namespace):
        count += len(batch.memories)
        for memory, versions, vectors in zip(batch.memories, batch.histories, batch.vectors, strict=True):
            total += _number(_encode(["memory", memory]))
            total += sum(_number(_encode(["version", each])) for each in versions)
            total += sum(
                _number(f"{memory.id} {model} ".encode() + row.tobytes()) for model, row in vectors.items()
            )
    with store.view(namespace) as view:
        edges = view.edges()
    total += sum(_number(_encode(["edge", each])) for each in edges)
    return Checksum(count, len(edges), f"{total % 2**64:016x}")


def _number(text: bytes) -> int:
    return int.from_bytes(hashlib.sha256(text).digest()[:8], "big")


def _claim(target: Store, namespace: str, origin: str) -> set[str]:
    """Mark the target's namespace as a copy of the source. Return the ids that an interrupted move has left.

    If somebody else has written to it since, no ids are returned: they cannot be distinguished from foreign
    memories. Raises StoreError if the namespace is not a copy of the source.
    """
    with target.transaction(namespace) as tx:
        revision = target.reader(namespace).revision()
        known, _, rest = tx.kept(_STATE).partition(" ")
        state, _, last = rest.partition(" ")
        empty = tx.count(None) == 0
        if not empty and known != origin:
            raise StoreError(
                f"{target.location}: namespace {namespace!r} already has memories. Name an empty store."
            )
        if state == "done" and int(last) != revision:
            raise StoreError(
                f"{target.location}: namespace {namespace!r} was moved and has been written to since. "
                "Name an empty store."
            )
        left = tx.ids(tx.scan(_EVERYTHING)) if last and int(last) == revision else []
        tx.keep(_STATE, f"{origin} moving {revision + 1}")
    return set(left)


@dataclass(frozen=True, slots=True)
class _Batch:
    """Memories with what belongs to them, in the order of their keys."""

    keys: list[int]
    memories: list[Memory]
    histories: list[list[Version]]
    vectors: list[dict[str, Any]]


def _read(reader: Reader, keys: Sequence[int], models: Sequence[str]) -> _Batch:
    """Read the memories that are still there."""
    given = np.array(keys, dtype=np.int64)
    there = [int(key) for key, known in zip(keys, reader.ids(given), strict=True) if known] if len(keys) else []
    vectors: list[dict[str, Any]] = [{} for _ in there]
    for model in models if there else ():
        rows, has = reader.vectors(model, np.array(there, dtype=np.int64))
        for place in np.flatnonzero(has):
            vectors[place][model] = rows[place]
    # The source may be of an earlier version, whose hashes the target does not find.
    memories = list(map(with_current_hash, reader.memories(there)))
    return _Batch(there, memories, [reader.history(key) for key in there], vectors)


def _batches(store: Store, namespace: str) -> Iterator[_Batch]:
    """Yield all memories, in short transactions: a long one would keep an erasure from rewriting the file."""
    with store.view(namespace) as view:
        keys = np.sort(view.scan(_EVERYTHING)).tolist()
        models = sorted(view.status()["vectors"])
    for start in range(0, len(keys), _AT_ONCE):
        with store.view(namespace) as view:
            batch = _read(view, keys[start : start + _AT_ONCE], models)
        yield batch


@dataclass(slots=True)
class _Pass:
    """Brings the target to the state of the source; repeated until the source has not changed meanwhile."""

    source: Store
    target: Store
    namespace: str
    origin: str
    moved: set[str]
    """Ids that earlier passes have copied."""
    copied: int = 0

    def copy(self, progress: Progress | None) -> None:
        """Copy what is missing or differs, and erase what the source no longer has."""
        keys: dict[int, int] = {}
        done, seen = 0, set[str]()
        total = self.source.reader(self.namespace).count(None)
        models = sorted(self.target.reader(self.namespace).status()["vectors"])
        for batch in _batches(self.source, self.namespace):
            self._copy_batch(batch, models, keys)
            done += len(batch.keys)
            seen.update(memory.id for memory in batch.memories)
            self.moved.update(memory.id for memory in batch.memories)
            if progress is not None:
                progress(self.namespace, done, max(done, total))
        with self._writing() as tx:
            gone = [key for key, _ in _known_ids(tx, sorted(self.moved - seen))]
            if gone:
                # Erased in the source since an earlier pass.
                tx.erase(gone, _NO_TIME)
        self.moved = seen
        self._copy_edges()
        with self.source.view(self.namespace) as view, self._writing() as tx:
            _copy_rest(view, tx, keys)

    @contextmanager
    def _writing(self) -> Iterator[Writer]:
        """Open a transaction of the target, and record its revision as that of this move."""
        with self.target.transaction(self.namespace) as tx:
            revision = self.target.reader(self.namespace).revision()
            is_own = tx.kept(_STATE) == f"{self.origin} moving {revision}"
            yield tx
            tx.keep(_STATE, f"{self.origin} moving {revision + 1 if is_own else 0}")

    def _copy_batch(self, batch: _Batch, models: Sequence[str], keys: dict[int, int]) -> None:
        """Copy one batch. `keys`: the source's to the target's; those of the batch are added."""
        with self._writing() as tx:
            stored = _known_ids(tx, [memory.id for memory in batch.memories])
            known = {memory.id: (key, memory) for key, memory in stored}
            fresh = _differing(batch, tx, models, known)
            stale = [known[batch.memories[place].id][0] for place in fresh if batch.memories[place].id in known]
            if stale:
                tx.erase(stale, _NO_TIME)
            added = tx.insert([Arrival(batch.memories[place], batch.vectors[place]) for place in fresh])
            places = dict(zip(fresh, added, strict=True))
            for place, key in places.items():
                if batch.histories[place]:
                    tx.put_history(key, batch.histories[place])
            for place, memory in enumerate(batch.memories):
                keys[batch.keys[place]] = places[place] if place in places else known[memory.id][0]
        self.copied += len(fresh)

    def _copy_edges(self) -> None:
        def made(edge: Edge) -> float:
            return edge.created_at.timestamp()

        with self.source.view(self.namespace) as view:
            wanted = {_encode(edge): edge for edge in view.edges()}
        with self.target.view(self.namespace) as view:
            there = {_encode(edge): edge for edge in view.edges()}
        # An edge may have gone or changed since an earlier pass. Edges of one type are replaced together.
        stale = {(each.source, each.target, each.type) for code, each in there.items() if code not in wanted}
        if stale:
            with self._writing() as tx:
                known = tx.keys_of(sorted({end for source, end, _ in stale} | {source for source, _, _ in stale}))
                for source, end, type_ in sorted(stale):
                    tx.unlink(known[source], known[end], type_)
        kept = {code for code, each in there.items() if (each.source, each.target, each.type) not in stale}
        # Edges of a memory that was added during this pass are for the next one.
        edges = (
            edge
            for code, edge in wanted.items()
            if code not in kept and edge.source in self.moved and edge.target in self.moved
        )
        groups = [(at, list(some)) for at, some in groupby(sorted(edges, key=made), key=made)]
        for start in range(0, len(groups), _AT_ONCE):
            with self._writing() as tx:
                for at, some in groups[start : start + _AT_ONCE]:
                    ends = dict.fromkeys(end for edge in some for end in (edge.source, edge.target))
                    known = tx.keys_of(list(ends))
                    tx.link([_link(edge, known) for edge in some], at)


def _link(edge: Edge, known: dict[str, int]) -> Link:
    ends = known[edge.source], known[edge.target]
    return Link(*ends, edge.type, edge.weight, edge.subtype, edge.reason, edge.created_by)


def _differing(
    batch: _Batch, tx: Writer, models: Sequence[str], known: dict[str, tuple[int, Memory]]
) -> list[int]:
    """Return the places of the memories that the target lacks, or has with another history or other vectors."""
    same = [place for place, memory in enumerate(batch.memories) if known.get(memory.id, (0, None))[1] == memory]
    there = _read(tx, [known[batch.memories[place].id][0] for place in same], models)
    unchanged = {
        place
        for place, versions, vectors in zip(same, there.histories, there.vectors, strict=True)
        if versions == batch.histories[place]
        and vectors.keys() == batch.vectors[place].keys()
        and all(np.array_equal(row, batch.vectors[place][model]) for model, row in vectors.items())
    }
    return [place for place in range(len(batch.memories)) if place not in unchanged]


def _known_ids(tx: Writer, ids: Sequence[str]) -> list[tuple[int, Memory]]:
    """Return the target's memories with these ids, with their keys."""
    # An id may be a prefix of another, and is then found for it.
    keys = sorted(set(tx.keys_of(ids).values()))
    wanted = set(ids)
    return [(key, each) for key, each in zip(keys, tx.memories(keys), strict=True) if each.id in wanted]


def _copy_rest(view: Reader, tx: Writer, keys: dict[int, int]) -> None:
    """Copy files, queue, runs, pairs in doubt and the operation log. `keys`: the source's to the target's.

    What belongs to a memory that was added during this pass is for the next one.
    """
    for workspace in view.documents.workspaces():
        tx.documents.put_workspace(workspace)
        for file in view.documents.files(workspace.root):
            chunks = view.documents.chunks(file.root, file.path)
            tx.documents.put(file, [(keys[key], digest) for key, digest in chunks if key in keys])
    for model in {EXTRACTION: None} | dict.fromkeys(each.model for each in view.queue.backlogs()):
        jobs = [job for job in view.queue.jobs(model) if job.key in keys]
        for added, some in groupby(jobs, key=lambda job: job.added):
            tx.queue.put(model, [keys[job.key] for job in some], added)
        tx.queue.update([replace(job, key=keys[job.key], holder="") for job in jobs])
    for run in view.runs(_MOST_LINES):
        tx.put_run(run)
    known = [each for each in view.doubts() if each.first in keys and each.second in keys]
    tx.put_doubts([replace(each, first=keys[each.first], second=keys[each.second]) for each in known])
    lines = view.log(_MOST_LINES)[::-1]
    # The moves' own erasures are lines of the target alone.
    there = sum(each["at"].timestamp() != _NO_TIME for each in tx.log(_MOST_LINES))
    for each in lines[there:]:
        tx.note(each["operation"], each["memory_id"], each["detail"], each["at"].timestamp())
