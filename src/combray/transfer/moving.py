"""Moves a namespace from one store to another: batch by batch, resumable, verified by count and checksum.

A batch is one transaction of the target. A move that was interrupted begins anew and skips what is there. The
source may be written to meanwhile: passes follow one another until a pass has seen the latest state.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import msgspec
import numpy as np

from combray.errors import StoreBusyError, StoreError
from combray.runtime import Arrival, Filter, Link, Reader, Store, Writer
from combray.types import Edge, Memory

_EVERYTHING = Filter(statuses=(), trusts=())
_AT_ONCE = 500
_PASSES = 10
_MOST_LINES = 2**62
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

    Keys are new, in the same order. Left behind are leases and the counters that stages keep between writes.
    Raises StoreError if the target's namespace has memories of another origin, or fails verification;
    StoreBusyError if the source changed during each of ten passes.
    """
    origin = hashlib.sha256(source.location.encode()).hexdigest()[:16]
    _claim(target, namespace, origin)
    copied, moved = 0, set[str]()
    for _ in range(_PASSES):
        with source.view(namespace) as view:
            revision = view.revision()
            if any(run.state == "running" for run in view.runs(10)):
                raise StoreError(
                    f"namespace {namespace!r} is being consolidated. Run combray consolidate to its end."
                )
            copied += _copy_pass(view, target, namespace, moved, progress)
        if source.reader(namespace).revision() == revision:
            break
    else:
        raise StoreBusyError(
            f"namespace {namespace!r} changed during each of {_PASSES} passes. Stop its writers."
        )
    with source.view(namespace) as one, target.view(namespace) as other:
        wanted, found = checksum(one), checksum(other)
        edges = len(one.edges())
    if wanted != found:
        raise StoreError(
            f"namespace {namespace!r} differs after the move: {wanted[0]} memories and {found[0]}, checksums "
            f"{wanted[1]} and {found[1]}. Erase the copy and move again."
        )
    with target.transaction(namespace) as tx:
        tx.keep(_STATE, f"{origin} done {target.reader(namespace).revision() + 1}")
    return Moved(namespace, wanted[0], edges, copied, wanted[1])


def checksum(reader: Reader) -> tuple[int, str]:
    """Return the number of memories, and a sum over memories, histories, vectors and edges in any order."""
    total, count = 0, 0
    models = sorted(reader.status()["vectors"])
    for batch in _batches(reader):
        keys = np.array(batch, dtype=np.int64)
        found = reader.memories(batch)
        count += len(found)
        digests = [_encode(["memory", each]) for each in found]
        digests += [_encode(["version", each]) for key in batch for each in reader.history(key)]
        for model in models:
            rows, has = reader.vectors(model, keys)
            digests += [
                f"{memory.id} {model} ".encode() + rows[place].tobytes()
                for place, memory in enumerate(found)
                if has[place]
            ]
        total += sum(map(_number, digests))
    total += sum(_number(_encode(["edge", each])) for each in reader.edges())
    return count, f"{total % 2**64:016x}"


def _number(text: bytes) -> int:
    return int.from_bytes(hashlib.sha256(text).digest()[:8], "big")


def _claim(target: Store, namespace: str, origin: str) -> None:
    """Mark the target's namespace as a copy of the source. Raises StoreError if it is something else."""
    with target.transaction(namespace) as tx:
        known, _, rest = tx.kept(_STATE).partition(" ")
        empty = tx.count(None) == 0
        if not empty and known != origin:
            raise StoreError(
                f"{target.location}: namespace {namespace!r} already has memories. Name an empty store."
            )
        if rest.startswith("done ") and int(rest[5:]) != target.reader(namespace).revision():
            raise StoreError(
                f"{target.location}: namespace {namespace!r} was moved and has been written to since. "
                "Name an empty store."
            )
        tx.keep(_STATE, f"{origin} moving")


def _batches(reader: Reader) -> Iterator[list[int]]:
    keys = np.sort(reader.scan(_EVERYTHING)).tolist()
    for start in range(0, len(keys), _AT_ONCE):
        yield keys[start : start + _AT_ONCE]


def _copy_pass(view: Reader, target: Store, namespace: str, moved: set[str], progress: Progress | None) -> int:
    """Bring the target to the state of the view. Return how many are new. `moved`: ids of earlier passes."""
    keys: dict[int, int] = {}
    copied, done, seen = 0, 0, set[str]()
    total = len(view.scan(_EVERYTHING))
    for batch in _batches(view):
        memories = view.memories(batch)
        with target.transaction(namespace) as tx:
            known = _known(tx, memories)
            fresh = _differing(view, batch, memories, tx, known)
            stale = [known[memories[place].id][0] for place in fresh if memories[place].id in known]
            if stale:
                tx.erase(stale, 0.0)
            added = tx.insert(_arrivals(view, batch, memories, fresh))
            for place, key in zip(fresh, added, strict=True):
                if history := view.history(batch[place]):
                    tx.put_history(key, history)
            places = dict(zip(fresh, added, strict=True))
            for place, memory in enumerate(memories):
                keys[batch[place]] = places[place] if place in places else known[memory.id][0]
        copied += len(fresh)
        done += len(batch)
        seen.update(memory.id for memory in memories)
        if progress is not None:
            progress(namespace, done, total)
    with target.transaction(namespace) as tx:
        gone = [key for key, _ in _known_ids(tx, sorted(moved - seen))]
        if gone:
            # Erased in the source since an earlier pass of this call.
            tx.erase(gone, 0.0)
    moved |= seen
    _copy_edges(view, target, namespace)
    with target.transaction(namespace) as tx:
        _copy_rest(view, tx, keys)
    return copied


def _differing(
    view: Reader, batch: list[int], memories: Sequence[Memory], tx: Writer, known: dict[str, tuple[int, Memory]]
) -> list[int]:
    """Return the places of the memories that the target lacks, or has with another history or other vectors."""
    there = [place for place, memory in enumerate(memories) if known.get(memory.id, (0, None))[1] == memory]
    keys = {place: known[memories[place].id][0] for place in there}
    same = {place for place in there if view.history(batch[place]) == tx.history(keys[place])}
    models = {*view.status()["vectors"], *tx.status()["vectors"]} if there else set()
    for model in sorted(models):
        own, has = view.vectors(model, np.array([batch[place] for place in there], dtype=np.int64))
        other, had = tx.vectors(model, np.array([keys[place] for place in there], dtype=np.int64))
        same -= {
            place
            for at, place in enumerate(there)
            if has[at] != had[at] or (has[at] and not np.array_equal(own[at], other[at]))
        }
    return [place for place in range(len(memories)) if place not in same]


def _known(tx: Writer, memories: Sequence[Memory]) -> dict[str, tuple[int, Memory]]:
    """Return the target's memories with the same ids, with their keys."""
    found = _known_ids(tx, [memory.id for memory in memories])
    return {memory.id: (key, memory) for key, memory in found}


def _known_ids(tx: Writer, ids: Sequence[str]) -> list[tuple[int, Memory]]:
    # An id may be a prefix of another, and is then found for it.
    keys = sorted(set(tx.keys_of(ids).values()))
    wanted = set(ids)
    return [(key, each) for key, each in zip(keys, tx.memories(keys), strict=True) if each.id in wanted]


def _arrivals(view: Reader, batch: list[int], memories: list[Memory], places: list[int]) -> list[Arrival]:
    vectors: dict[int, dict[str, Any]] = {place: {} for place in places}
    keys = np.array([batch[place] for place in places], dtype=np.int64)
    for model in view.status()["vectors"] if places else ():
        rows, has = view.vectors(model, keys)
        for at, place in enumerate(places):
            if has[at]:
                vectors[place][model] = rows[at]
    return [Arrival(memories[place], vectors[place]) for place in places]


def _copy_edges(view: Reader, target: Store, namespace: str) -> None:
    def made(edge: Edge) -> float:
        return edge.created_at.timestamp()

    wanted = {_encode(edge): edge for edge in view.edges()}
    there = {_encode(edge): edge for edge in target.reader(namespace).edges()}
    # An edge may have gone or changed since an earlier pass. Those of one type between two memories go together.
    stale = {(each.source, each.target, each.type) for code, each in there.items() if code not in wanted}
    if stale:
        with target.transaction(namespace) as tx:
            known = tx.keys_of(sorted({end for source, end, _ in stale} | {source for source, _, _ in stale}))
            for source, end, type_ in sorted(stale):
                tx.unlink(known[source], known[end], type_)
    kept = {code for code, each in there.items() if (each.source, each.target, each.type) not in stale}
    edges = sorted((edge for code, edge in wanted.items() if code not in kept), key=made)
    groups = [(at, list(some)) for at, some in groupby(edges, key=made)]
    for start in range(0, len(groups), _AT_ONCE):
        with target.transaction(namespace) as tx:
            for at, some in groups[start : start + _AT_ONCE]:
                keys = tx.keys_of(list(dict.fromkeys(end for edge in some for end in (edge.source, edge.target))))
                links = [
                    Link(keys[e.source], keys[e.target], e.type, e.weight, e.subtype, e.reason, e.created_by)
                    for e in some
                ]
                tx.link(links, at)


def _copy_rest(view: Reader, tx: Writer, keys: dict[int, int]) -> None:
    """Copy files, queue, runs, pairs in doubt and the operation log. `keys`: the source's to the target's."""
    for workspace in view.documents.workspaces():
        tx.documents.put_workspace(workspace)
        for file in view.documents.files(workspace.root):
            chunks = view.documents.chunks(file.root, file.path)
            tx.documents.put(file, [(keys[key], digest) for key, digest in chunks])
    for backlog in view.queue.backlogs():
        jobs = view.queue.jobs(backlog.model)
        for added, some in groupby(jobs, key=lambda job: job.added):
            tx.queue.put(backlog.model, [keys[job.key] for job in some], added)
        tx.queue.update([replace(job, key=keys[job.key], holder="") for job in jobs])
    for run in view.runs(_MOST_LINES):
        behind = [new for old, new in keys.items() if old <= run.seen]
        tx.put_run(replace(run, seen=max(behind, default=0)))
    tx.put_doubts([replace(each, first=keys[each.first], second=keys[each.second]) for each in view.doubts()])
    lines = view.log(_MOST_LINES)[::-1]
    for each in lines[len(tx.log(_MOST_LINES)) :]:
        tx.note(each["operation"], each["memory_id"], each["detail"], each["at"].timestamp())
