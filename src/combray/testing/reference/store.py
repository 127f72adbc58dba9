"""The reference store: one state, replaced whole by every transaction that succeeds."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, tzinfo
from typing import Any

import msgspec
import numpy as np
from msgspec.structs import replace as changed
from numpy.typing import NDArray

from combray.errors import InvalidInputError, StoreError
from combray.runtime import Arrival, Doubt, Lease, Link, Run, Vectors
from combray.runtime.queue import OMITTED
from combray.testing.reference import formulas
from combray.testing.reference.reader import ReferenceReader
from combray.testing.reference.state import NamespaceRows, Row, StoreState, copied, moment_at
from combray.types import KINDS, STATUSES, TIERS, TRUSTS, Edge, Memory, Version

_CHOICES = {"status": STATUSES, "tier": TIERS, "kind": KINDS, "trust": TRUSTS, "importance": range(1, 6)}


def _check(values: Mapping[str, Any]) -> None:
    """Raise InvalidInputError for a value that no memory has."""
    for name, value in values.items():
        if value not in _CHOICES.get(name, (value,)) or (name == "confidence" and not 0 <= value <= 1):
            raise InvalidInputError(name, f"must be a value that a memory can have, got {value!r}.")


def _check_changes(changes: Mapping[str, Any]) -> None:
    """Raise InvalidInputError for an unknown or fixed field, or a value that no memory has."""
    for name in changes:
        if name not in Memory.__struct_fields__ or name in ("id", "namespace"):
            raise InvalidInputError("changes", f"{name!r} cannot change.")
    _check(changes)


def _row(key: int, memory: Memory) -> Row:
    """The memory as a file would return it: metadata as JSON, every text valid Unicode."""
    try:
        msgspec.json.encode(memory)
    except UnicodeEncodeError as error:
        raise InvalidInputError("text", f"holds a lone surrogate at place {error.start}.") from error
    return Row(key, changed(memory, metadata=msgspec.json.decode(msgspec.json.encode(memory.metadata))))


class ReferenceWriter(ReferenceReader):
    """Implements `runtime.Writer` on `draft`, a copy that replaces the store's state at commit."""

    def __init__(self, namespace: str, committed: StoreState) -> None:
        self.draft = copied(committed)
        self.space = self.draft.spaces[namespace] = copied(committed.spaces.get(namespace) or NamespaceRows())
        self.space.revision += 1
        super().__init__(namespace, lambda: self.draft, lambda: committed)

    # -- reading one's own writes -----------------------------------------------------------------

    def _live(self) -> list[Row]:
        return [row for row in self.space.rows.values() if row.live]

    def live_with_hash(self, hashes: Sequence[str]) -> dict[str, int]:
        found: dict[str, int] = {}
        for row in self._live():
            if row.memory.content_hash in hashes:
                found.setdefault(row.memory.content_hash, row.key)
        return found

    def next_position(self, session: str) -> int:
        turns = [row.memory for row in self.space.rows.values() if row.memory.session == session]
        return max((turn.position for turn in turns if turn.position is not None), default=-1) + 1

    def latest(
        self, count: int, *, source: str | None = None, before: float | None = None
    ) -> list[tuple[int, float]]:
        found = [
            (row.key, row.moment)
            for row in self._live()
            if (source is None or row.memory.source == source)
            and (before is None or row.memory.moment <= moment_at(before))
        ]
        return sorted(found, key=lambda each: (-each[1], -each[0]))[:count]

    def naming(self, entities: Sequence[str], per_entity: int) -> dict[str, tuple[int, list[int]]]:
        found = {}
        for entity in entities:
            keys = [row.key for row in self._live() if entity.casefold() in row.entities]
            found[entity] = (len(keys), keys[::-1][:per_entity])
        return found

    def count_live(self, kinds: Sequence[str] = ()) -> int:
        return sum(not kinds or row.memory.kind in kinds for row in self._live())

    def keep(self, name: str, value: str) -> None:
        self.space.kept[name] = value

    # -- writing ----------------------------------------------------------------------------------

    def insert(self, arrivals: Sequence[Arrival]) -> list[int]:
        keys = []
        for arrival in arrivals:
            memory = changed(arrival.memory, namespace=self.namespace)
            _check(msgspec.structs.asdict(memory))
            if any(row.memory.id == memory.id for row in self.space.rows.values()):
                raise InvalidInputError("id", f"{memory.id!r} already exists in namespace {self.namespace!r}.")
            self.draft.last_key += 1
            keys.append(self.draft.last_key)
            self.space.rows[keys[-1]] = _row(keys[-1], memory)
            for model, vector in arrival.vectors.items():
                self.put_vectors(model, keys[-1:], vector[None, :])
            for model, tokens in arrival.tokens.items():
                self.put_tokens(model, keys[-1:], [tokens])
        return keys

    def change(self, key: int, operation: str, actor: str, at: float, **changes: Any) -> None:
        _check_changes(changes)
        memory = self.space.row(key).memory
        before = {name: getattr(memory, name) for name in changes}
        earlier = self.space.versions.get(key, ())
        number = earlier[-1].number + 1 if earlier else 1
        version = Version(
            memory_id=memory.id,
            number=number,
            changed_at=moment_at(at),
            actor=actor,
            operation=operation,
            before=before,
        )
        self.space.versions[key] = (*earlier, version)
        self.space.rows[key] = _row(key, changed(memory, **changes))
        if any(before.get(name) != changes.get(name) for name in ("content", "context")):
            # The vectors are those of another text.
            self.space.vectors = {place: code for place, code in self.space.vectors.items() if place[1] != key}
            self.space.tokens = {place: code for place, code in self.space.tokens.items() if place[1] != key}

    def put_history(self, key: int, versions: Sequence[Version]) -> None:
        memory = self.space.row(key).memory
        numbers = [each.number for each in versions]
        if self.space.versions.get(key) or numbers != sorted(set(numbers)) or any(each < 1 for each in numbers):
            raise InvalidInputError("versions", f"{numbers} cannot be the whole history of this memory.")
        for each in versions:
            _check_changes(each.before)
        self.space.versions[key] = tuple(changed(each, memory_id=memory.id) for each in versions)

    def put_vectors(self, model: str, keys: Sequence[int], vectors: Vectors) -> None:
        for key, vector in zip(keys, vectors, strict=True):
            self.space.row(key)
            formulas.check_dimensions(model, self.draft.models.setdefault(model, len(vector)), len(vector))
            self.space.vectors[model, key] = formulas.coded(vector)

    def put_tokens(self, model: str, keys: Sequence[int], tokens: Sequence[NDArray[np.int8]]) -> None:
        for key, rows in zip(keys, tokens, strict=True):
            self.space.row(key)
            known = self.draft.models.setdefault(model, rows.shape[1])
            formulas.check_dimensions(model, known, rows.shape[1])
            self.space.tokens[model, key] = rows.tobytes()

    def drop_vectors(self, model: str) -> int:
        space = self.space
        before = len(space.vectors) + len(space.tokens)
        space.vectors = {place: code for place, code in space.vectors.items() if place[0] != model}
        space.tokens = {place: code for place, code in space.tokens.items() if place[0] != model}
        return before - len(space.vectors) - len(space.tokens)

    def link(self, links: Sequence[Link], at: float) -> int:
        edges, before = self.space.edges, len(self.space.edges)
        for each in links:
            edge = Edge(
                source=self.space.row(each.source).memory.id,
                target=self.space.row(each.target).memory.id,
                type=each.type,
                subtype=each.subtype,
                weight=each.weight,
                reason=each.reason,
                created_by=each.created_by,
                created_at=moment_at(at),
            )
            known = edges.setdefault((each.source, each.target, each.type, each.subtype), edge)
            maker = known.created_by if each.created_by == "combray" else each.created_by
            heavier = changed(known, weight=max(known.weight, each.weight), created_by=maker)
            edges[each.source, each.target, each.type, each.subtype] = heavier
        return len(edges) - before

    def unlink(self, source: int, target: int, type_: str) -> int:
        places = [place for place in self.space.edges if place[:3] == (source, target, type_)]
        for place in places:
            del self.space.edges[place]
        return len(places)

    def touch(self, accesses: Mapping[int, tuple[int, float]]) -> None:
        for key, (times, at) in accesses.items():
            if key in self.space.rows:
                memory = self.space.rows[key].memory
                last = max(memory.last_accessed_at or moment_at(at), moment_at(at))
                count = memory.access_count + times
                self.space.rows[key] = Row(key, changed(memory, access_count=count, last_accessed_at=last))

    def note(self, operation: str, memory_id: str, detail: str, at: float) -> None:
        self.draft.last_operation += 1
        line = {"at": moment_at(at), "operation": operation, "memory_id": memory_id, "detail": detail}
        self.space.operations.append({"number": self.draft.last_operation, **line})

    # -- consolidation ----------------------------------------------------------------------------

    def put_run(self, run: Run, parts: Sequence[str] = ()) -> None:
        self.space.runs[run.id] = run
        self.space.parts[run.id] = (*self.space.parts.get(run.id, ()), *parts)

    def take_part(self, run: str) -> str | None:
        first, *rest = self.space.parts.get(run) or (None,)
        self.space.parts[run] = tuple(each for each in rest if each is not None)
        return first

    def put_doubts(self, doubts: Sequence[Doubt]) -> None:
        for each in doubts:
            self.space.row(each.first)
            self.space.row(each.second)
            self.space.doubts[each.first, each.second] = each

    def drop_doubts(self, run: str) -> int:
        kept = {place: each for place, each in self.space.doubts.items() if each.run != run}
        count = len(self.space.doubts) - len(kept)
        self.space.doubts = kept
        return count

    def lease(self, name: str) -> Lease | None:
        return self.space.leases.get(name)

    def put_lease(self, name: str, lease: Lease | None) -> None:
        if lease is None:
            self.space.leases.pop(name, None)
        else:
            self.space.leases[name] = lease

    # -- erasing ----------------------------------------------------------------------------------

    def erase(self, keys: Sequence[int], at: float) -> None:
        space = self.space
        wanted = {key: space.rows[key].memory.id for key in keys if key in space.rows}
        for key, memory_id in wanted.items():
            del space.rows[key]
            space.versions.pop(key, None)
            chunk = space.chunks.pop(key, None)
            if chunk is not None and chunk.file is not None:
                # A short file could be guessed from its hash.
                space.files[chunk.file] = replace(space.files[chunk.file], hash="")
            self._forget_mentions(memory_id)
        space.edges = {place: each for place, each in space.edges.items() if not wanted.keys() & place[:2]}
        space.vectors = {place: each for place, each in space.vectors.items() if place[1] not in wanted}
        space.tokens = {place: each for place, each in space.tokens.items() if place[1] not in wanted}
        space.doubts = {place: each for place, each in space.doubts.items() if not wanted.keys() & place}
        jobs = {place: job for place, job in space.jobs.items() if place[0] not in wanted}
        space.jobs = {
            place: replace(job, error=OMITTED) if wanted and job.error else job for place, job in jobs.items()
        }
        self.note("erase", "", f"{len(wanted)} memories", at)

    def _forget_mentions(self, memory_id: str) -> None:
        for key, row in self.space.rows.items():
            pointers = ("supersedes", "superseded_by", "merged_into")
            gone = {name: None for name in pointers if getattr(row.memory, name) == memory_id}
            evidence = tuple(each for each in row.memory.evidence if each != memory_id)
            self.space.rows[key] = Row(key, changed(row.memory, evidence=evidence, **gone))
        for key, versions in self.space.versions.items():
            self.space.versions[key] = tuple(
                changed(each, before=_without(each.before, memory_id)) for each in versions
            )
        for place, line in enumerate(self.space.operations):
            own = {"memory_id": "erased", "detail": ""} if line["memory_id"] == memory_id else {}
            cleaned = line["detail"].replace(memory_id, "erased")
            self.space.operations[place] = {**line, "detail": cleaned, **own}


def _without(value: Any, memory_id: str) -> Any:
    """The value with the id replaced by the word "erased" in every text."""
    if isinstance(value, str):
        return value.replace(memory_id, "erased")
    if isinstance(value, tuple | list):
        return type(value)(_without(each, memory_id) for each in value)
    if isinstance(value, dict):
        return {name: _without(each, memory_id) for name, each in value.items()}
    return value


class ReferenceStore:
    """Implements `runtime.Store` in memory: slow and obvious, for tests."""

    location = "reference store in memory"
    writable = True
    unwritable = ""
    zone: tzinfo = UTC
    busy = False
    errors: tuple[type[Exception], ...] = ()

    def __init__(self) -> None:
        self._current: StoreState | None = StoreState()
        self._lock = threading.RLock()
        self._writing = False

    def _state(self) -> StoreState:
        if self._current is None:
            raise StoreError(f"{self.location}: the store is closed. Open it again.")
        return self._current

    def probe(self) -> str:
        return ""

    def namespaces(self) -> list[str]:
        return sorted(self._state().spaces)

    def reader(self, namespace: str) -> ReferenceReader:
        return ReferenceReader(namespace, self._state, self._state)

    @contextmanager
    def view(self, namespace: str) -> Iterator[ReferenceReader]:
        state = self._state()
        yield ReferenceReader(namespace, lambda: state, lambda: state)

    @contextmanager
    def transaction(self, namespace: str) -> Iterator[ReferenceWriter]:
        with self._lock:
            committed = self._state()
            if self._writing:
                raise StoreError(f"{self.location}: a transaction is already open. End it first.")
            self._writing = True
            try:
                writer = ReferenceWriter(namespace, committed)
                yield writer
                self._current = writer.draft
            finally:
                self._writing = False

    def check(self) -> list[str]:
        self._state()
        return []

    def repair(self) -> list[str]:
        return self.check()

    def backup(self, path: str, key: str | bytes | None = None) -> None:
        del key
        raise StoreError(f"{path}: the {self.location} cannot be backed up. Export its memories instead.")

    def close(self) -> None:
        self._current = None
