"""One open write transaction of the reference store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import msgspec

from combray.errors import InvalidInputError, NotFoundError
from combray.runtime import Arrival, Doubt, Lease, Link, Run, Vectors
from combray.runtime.queue import UNTOLD
from combray.stores.matrix import check_dimensions, encode
from combray.stores.validity import EMBEDDED, check_changes, check_history, check_memory
from combray.testing.reference.reader import ReferenceReader
from combray.testing.reference.state import Row, State, moment_at, row_of
from combray.types import Edge, Memory, Version

_POINTERS = ("supersedes", "superseded_by", "merged_into")


def _as_stored(memory: Memory) -> Memory:
    """The memory as a file would give it back: metadata as JSON has it, every text valid Unicode."""
    try:
        msgspec.json.encode(memory)
    except UnicodeEncodeError as error:
        raise InvalidInputError("text", f"holds a lone surrogate (at place {error.start}).") from error
    metadata = msgspec.json.decode(msgspec.json.encode(memory.metadata))
    return msgspec.structs.replace(memory, metadata=metadata)


class ReferenceWriter(ReferenceReader):
    """Implements `runtime.Writer` on `draft`, which the store makes its state when all went well."""

    def __init__(self, namespace: str, draft: State, committed: State) -> None:
        super().__init__(namespace, lambda: draft, lambda: committed)
        self.draft = draft
        draft.revisions[namespace] = draft.revisions.get(namespace, 0) + 1

    def _row(self, key: int) -> Row:
        row = self.draft.row(self.namespace, key)
        if row is None:
            raise NotFoundError(f"no memory with key {key} in namespace {self.namespace!r}")
        return row

    # -- reading one's own writes -----------------------------------------------------------------

    def live_with_hash(self, hashes: Sequence[str]) -> dict[str, int]:
        """The oldest live memory's key by content hash."""
        found: dict[str, int] = {}
        for row in self._rows():
            if row.live and row.memory.content_hash in hashes:
                found.setdefault(row.memory.content_hash, row.key)
        return found

    def next_position(self, session: str) -> int:
        """The position behind the session's last turn; 0 in a new session."""
        positions = [row.memory.position for row in self._rows() if row.memory.session == session]
        return max((position for position in positions if position is not None), default=-1) + 1

    def latest(
        self, count: int, *, source: str | None = None, before: float | None = None
    ) -> list[tuple[int, float]]:
        """(key, moment) of the newest live memories, newest first; `before` includes that moment."""
        found = [
            (row.key, row.moment)
            for row in self._rows()
            if row.live
            and (source is None or row.memory.source == source)
            and (before is None or row.memory.moment <= moment_at(before))
        ]
        return sorted(found, key=lambda each: (-each[1], -each[0]))[:count]

    def naming(self, entities: Sequence[str], per_entity: int) -> dict[str, tuple[int, list[int]]]:
        """How many live memories name each entity, and the keys of the newest."""
        found = {}
        for entity in entities:
            keys = [row.key for row in self._rows() if row.live and entity.casefold() in row.entities]
            found[entity] = (len(keys), keys[::-1][:per_entity])
        return found

    def count_live(self, kinds: Sequence[str] = ()) -> int:
        """How many live memories there are, of some kinds or of all."""
        return sum(row.live and (not kinds or row.memory.kind in kinds) for row in self._rows())

    # -- writing ----------------------------------------------------------------------------------

    def insert(self, arrivals: Sequence[Arrival]) -> list[int]:
        """Store the memories. Raises InvalidInputError for an id that is there and for bad values."""
        keys = []
        for arrival in arrivals:
            check_memory(arrival.memory)
            memory = msgspec.structs.replace(_as_stored(arrival.memory), namespace=self.namespace)
            if any(row.memory.id == memory.id for row in self._rows()):
                raise InvalidInputError("id", f"{memory.id!r} is in namespace {self.namespace!r} already.")
            self.draft.last_key += 1
            key = self.draft.last_key
            self.draft.rows[key] = row_of(key, memory)
            keys.append(key)
        for key, arrival in zip(keys, arrivals, strict=True):
            for model, vector in arrival.vectors.items():
                self.put_vectors(model, [key], vector[None, :])
        return keys

    def change(self, key: int, operation: str, actor: str, at: float, **changes: Any) -> None:
        """Change fields, keeping what they were as a version row."""
        check_changes(changes)
        memory = self._row(key).memory
        earlier = self.draft.versions.get(key, ())
        version = Version(
            memory_id=memory.id,
            number=earlier[-1].number + 1 if earlier else 1,
            changed_at=moment_at(at),
            actor=actor,
            operation=operation,
            before={name: getattr(memory, name) for name in changes},
        )
        self.draft.versions[key] = (*earlier, version)
        if any(changes.get(name, getattr(memory, name)) != getattr(memory, name) for name in EMBEDDED):
            self.draft.vectors = {place: code for place, code in self.draft.vectors.items() if place[1] != key}
        self.draft.rows[key] = row_of(key, _as_stored(msgspec.structs.replace(memory, **changes)))

    def put_history(self, key: int, versions: Sequence[Version]) -> None:
        """Store version rows of a memory that has none."""
        memory = self._row(key).memory
        check_history(versions, self.draft.versions.get(key))
        self.draft.versions[key] = tuple(msgspec.structs.replace(each, memory_id=memory.id) for each in versions)

    def put_vectors(self, model: str, keys: Sequence[int], vectors: Vectors) -> None:
        """Store or replace vectors."""
        for key, vector in zip(keys, vectors, strict=True):
            self._row(key)
            check_dimensions(model, self.draft.models.setdefault(model, len(vector)), len(vector))
            self.draft.vectors[model, key] = encode(vector[None, :])[0]

    def drop_vectors(self, model: str) -> int:
        """Destroy all vectors of a model."""
        gone = [place for place in self.draft.vectors if place[0] == model]
        gone = [place for place in gone if self.draft.row(self.namespace, place[1])]
        for place in gone:
            del self.draft.vectors[place]
        return len(gone)

    def link(self, links: Sequence[Link], at: float) -> int:
        """Store edges, keeping the higher weight; how many are new."""
        new = 0
        for each in links:
            source, target = self._row(each.source).memory.id, self._row(each.target).memory.id
            place = (each.source, each.target, each.type, each.subtype)
            known = self.draft.edges.get(place)
            if known is not None:
                edge = msgspec.structs.replace(known, weight=max(known.weight, each.weight))
            else:
                new += 1
                edge = Edge(
                    source=source,
                    target=target,
                    type=each.type,
                    subtype=each.subtype,
                    weight=each.weight,
                    reason=each.reason,
                    created_by=each.created_by,
                    created_at=moment_at(at),
                )
            self.draft.edges[place] = edge
        return new

    def unlink(self, source: int, target: int, type_: str) -> int:
        """Remove the edges of a type from one memory to another."""
        if self.draft.row(self.namespace, source) is None:
            return 0
        gone = [place for place in self.draft.edges if place[:3] == (source, target, type_)]
        for place in gone:
            del self.draft.edges[place]
        return len(gone)

    def touch(self, accesses: Mapping[int, tuple[int, float]]) -> None:
        """Add to access counts."""
        for key, (times, at) in accesses.items():
            row = self.draft.row(self.namespace, key)
            if row is not None:
                memory = row.memory
                last = max(memory.last_accessed_at or moment_at(at), moment_at(at))
                memory = msgspec.structs.replace(
                    memory, access_count=memory.access_count + times, last_accessed_at=last
                )
                self.draft.rows[key] = row_of(key, memory)

    def note(self, operation: str, memory_id: str, detail: str, at: float) -> None:
        """A line in the operation log."""
        self.draft.last_operation += 1
        line = {"at": moment_at(at), "operation": operation, "memory_id": memory_id, "detail": detail}
        self.draft.operations[self.draft.last_operation] = (self.namespace, line)

    # -- consolidation ----------------------------------------------------------------------------

    def put_run(self, run: Run, parts: Sequence[str] = ()) -> None:
        """Store a run, or replace it, and parts of its plan."""
        self.draft.ledger.put_run(self.namespace, run, parts)

    def take_part(self, run: str) -> str | None:
        """Remove the first part left of a run's plan and give it."""
        return self.draft.ledger.take_part(self.namespace, run)

    def put_doubts(self, doubts: Sequence[Doubt]) -> None:
        """Store pairs in doubt."""
        for each in doubts:
            self._row(each.first)
            self._row(each.second)
        self.draft.ledger.put_pairs(self.namespace, doubts)

    def drop_doubts(self, run: str) -> int:
        """Forget the pairs that a run wrote last."""
        return self.draft.ledger.drop_pairs(self.namespace, run)

    def lease(self, name: str) -> Lease | None:
        """Who holds a lease."""
        return self.draft.ledger.leases.get((self.namespace, name))

    def put_lease(self, name: str, lease: Lease | None) -> None:
        """Give a lease to somebody, or to nobody."""
        self.draft.ledger.leases.pop((self.namespace, name), None)
        if lease is not None:
            self.draft.ledger.leases[self.namespace, name] = lease

    # -- erasing ----------------------------------------------------------------------------------

    def erase(self, keys: Sequence[int], at: float) -> None:
        """Destroy memories and every mention of them."""
        erased = 0
        for key in dict.fromkeys(keys):
            row = self.draft.row(self.namespace, key)
            if row is None:
                continue
            erased += 1
            del self.draft.rows[key]
            self.draft.versions.pop(key, None)
            for place in [place for place in self.draft.edges if key in place[:2]]:
                del self.draft.edges[place]
            for model in list(self.draft.models):
                self.draft.vectors.pop((model, key), None)
            self.draft.ledger.forget(key)
            self.draft.shelf.erase(key)
            self.draft.jobs = {place: job for place, job in self.draft.jobs.items() if place[0] != key}
            self._forget_mentions(row.memory.id)
        if erased:
            for waiting, job in list(self.draft.jobs.items()):
                if job.error and self.draft.row(self.namespace, job.key):
                    self.draft.jobs[waiting] = replace(job, error=UNTOLD)
        self.note("erase", "", f"{erased} memories", at)

    def _forget_mentions(self, memory_id: str) -> None:
        for row in self._rows():
            gone = {name: None for name in _POINTERS if getattr(row.memory, name) == memory_id}
            evidence = tuple(each for each in row.memory.evidence if each != memory_id)
            memory = msgspec.structs.replace(row.memory, evidence=evidence, **gone)
            self.draft.rows[row.key] = row_of(row.key, memory)
            self.draft.versions[row.key] = tuple(
                msgspec.structs.replace(version, before=_without(version.before, memory_id))
                for version in self.draft.versions.get(row.key, ())
            )
        for number, (namespace, line) in list(self.draft.operations.items()):
            if namespace == self.namespace:
                cleaned = {**line, "detail": line["detail"].replace(memory_id, "erased")}
                if line["memory_id"] == memory_id:
                    cleaned |= {"memory_id": "erased", "detail": ""}
                self.draft.operations[number] = (namespace, cleaned)


def _without(values: Mapping[str, Any], memory_id: str) -> dict[str, Any]:
    """The values with the id replaced by the word "erased" wherever it stands in a text."""

    def cleaned(value: Any) -> Any:
        if isinstance(value, str):
            return value.replace(memory_id, "erased")
        if isinstance(value, tuple | list):
            return type(value)(cleaned(each) for each in value)
        if isinstance(value, dict):
            return {cleaned(name): cleaned(each) for name, each in value.items()}
        return value

    return {name: cleaned(value) for name, value in values.items()}
