"""Protocols of a store: readers and write transactions of a namespace, files, runs of consolidation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import tzinfo
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from combray.records import dataclass, field
from combray.runtime.documents import DocumentIndex, DocumentsWriter
from combray.runtime.queue import Queue, QueueWriter
from combray.runtime.retrieval import (
    Arm,
    Arrival,
    Filter,
    Found,
    Keys,
    Link,
    Order,
    Place,
    Profile,
    Ranked,
    Rows,
    Scores,
    Vectors,
)
from combray.types import Edge, Memory, Version
from combray.where import Condition


@dataclass(frozen=True, slots=True)
class Run:
    """One run of consolidation: when (unix seconds), running, done or undone, and what it did how often."""

    id: str
    started: float
    ended: float | None = None
    state: str = "running"
    counts: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Doubt:
    """A pair of facts, by keys (first < second), that rules could not decide, and the answer, once there is one.

    `halved`: both have lost confidence over it already; `run` is the run that wrote it last.
    """

    first: int
    second: int
    reason: str
    answer: str = ""
    halved: bool = False
    run: str = ""


@dataclass(frozen=True, slots=True)
class Lease:
    """An exclusive right: its holder, and when it ends (unix seconds)."""

    holder: str
    until: float


class Reader(Protocol):
    """Reads one namespace. A call returns the same result for the same content of the store."""

    def search(self, arms: Mapping[str, Arm], where: Filter, limit: int) -> Found:
        """Run every arm, `limit` candidates each, and score the union of their lists with every arm."""

    def rows(self, keys: Keys) -> Rows:
        """Return the columns of the keys, in their order."""

    def ids(self, keys: Keys) -> list[str]:
        """Return the ids in the order of the keys; "" for an unknown key."""

    def accesses(self, keys: Keys) -> Scores:
        """Return the access counts in the order of the keys; 0 for an unknown key."""

    def memories(self, keys: Iterable[int]) -> list[Memory]:
        """Return the memories in the order of the keys, without unknown keys."""

    def contents(self, keys: Iterable[int]) -> list[str]:
        """Return the texts in the order of the keys."""

    def keys_of(self, ids: Sequence[str]) -> dict[str, int]:
        """Return the keys by id, or by unique prefix of at least eight characters, without unknown ones."""

    def neighbours(self, keys: Keys, before: int, after: int) -> list[list[int]]:
        """Return for each key the turns around it in its session, in order, without itself."""

    def eligible(self, keys: Keys, where: Filter) -> NDArray[np.bool_]:
        """Return which of the keys pass the filter; False for an unknown key."""

    def similarity(self, model: str, vector: NDArray[np.float32], keys: Keys) -> Scores:
        """Return the cosine with each key's vector; 0 if it has none."""

    def nearest(self, model: str, vectors: Vectors, where: Filter, limit: int, minimum: float) -> list[Ranked]:
        """Return the `limit` nearest memories of each vector with a cosine of at least `minimum`, best first.

        Inside a transaction only what was committed before it is searched."""

    def vectors(self, model: str, keys: Keys) -> tuple[Vectors, NDArray[np.bool_]]:
        """Return the vectors of the keys (zeros if none), and which keys have one."""

    def tokens(self, model: str, keys: Keys) -> list[NDArray[np.int8] | None]:
        """Return the token vectors of each key, a row each; None if none were made."""

    def covered(self, model: str, where: Filter) -> tuple[int, int]:
        """Return how many memories that pass the filter have a vector of the model, and how many pass."""

    def links(self, keys: Iterable[int], types: Sequence[str] = ()) -> list[Link]:
        """Return every edge that starts or ends at one of the keys, by source, target, type."""

    def joined(self, keys: Iterable[int], types: Sequence[str] = ()) -> list[tuple[int, int, str]]:
        """Return what a walk needs of `links`: source, target and type, in that order, each once."""

    def links_to(self, keys: Iterable[int], types: Sequence[str] = ()) -> list[Link]:
        """Return every edge that ends at one of the keys, by source, target, type."""

    def edges(self, types: Sequence[str] = ()) -> list[Edge]:
        """Return all edges with ids, for export and pictures."""

    def scan(self, where: Filter, *, newest_first: bool = False, limit: int | None = None) -> Keys:
        """Return the keys of all memories that pass the filter, by moment, then key."""

    def page(
        self, condition: Condition | None, order: Order, limit: int, after: Place | None = None
    ) -> list[int]:
        """Return keys of memories of any status and trust that match the condition, in order, after a place."""

    def count(self, condition: Condition | None) -> int:
        """Count the memories of any status and trust that match the condition."""

    def known_entities(self, candidates: Iterable[str]) -> set[str]:
        """Return the candidates that a live memory names, as given. Case is ignored."""

    def names(self, names: Iterable[str] = (), canonicals: Iterable[str] = ()) -> list[tuple[str, str]]:
        """Return the pairs (name, canonical name) whose name, or whose canonical name, is among those given.

        Names are `language.names.normal`. A declared entity is also a pair with itself. Memories that are
        forgotten, untrusted or quarantined state nothing. Sorted.
        """

    def aliases(self, limit: int) -> list[tuple[str, str, str, int]]:
        """Return (canonical, alias, origin, key) of live aliases, sorted; the memory of that key states it."""

    def entity_counts(self, limit: int = 20) -> list[tuple[str, int]]:
        """Return the entities that most live memories name, each with that number."""

    def profile(self) -> Profile:
        """Return counts and speakers of the namespace."""

    def history(self, key: int) -> list[Version]:
        """Return every change of a memory, oldest first."""

    def status(self) -> dict[str, Any]:
        """Return counts for display: by status, kind, category; edges by type; vectors by model; token vectors by
        model, with their bytes."""

    def log(self, limit: int, *, after: int | None = None) -> list[dict[str, Any]]:
        """Return the latest operations, newest first: number, at, operation, memory id, detail.

        With `after` the first operations with a greater number, oldest first.
        """

    def revision(self) -> int:
        """Return the number of committed writes to the namespace."""

    @property
    def documents(self) -> DocumentIndex:
        """The indexed files."""

    @property
    def queue(self) -> Queue:
        """The embedding queue."""

    def runs(self, limit: int) -> list[Run]:
        """Return the latest runs of consolidation, newest first."""

    def changed_by(self, actor: str) -> list[int]:
        """Return the keys of the memories that an actor has changed, ascending."""

    def doubts(self) -> list[Doubt]:
        """Return every pair in doubt, answered or not, by keys."""

    def kept(self, name: str) -> str:
        """A value of the namespace that was kept between writes; "" for none. It holds no text."""


class Writer(Reader, Protocol):
    """An open write transaction on one namespace. Reads by id, hash, session and entity see its own writes."""

    def live_with_hash(self, hashes: Sequence[str]) -> dict[str, int]:
        """Return the keys of live memories by content hash, among the given hashes."""

    def next_position(self, session: str) -> int:
        """Return the position after the last turn of the session."""

    def insert(self, arrivals: Sequence[Arrival]) -> list[int]:
        """Store memories with their index terms, vectors and entities. Return their keys in order."""

    def change(self, key: int, operation: str, actor: str, at: float, **changes: Any) -> None:
        """Change fields and add a version row with the old values. A new text deletes the old vectors."""

    def put_history(self, key: int, versions: Sequence[Version]) -> None:
        """Store version rows of an import, numbers ascending, for a memory that has none."""

    def put_vectors(self, model: str, keys: Sequence[int], vectors: Vectors) -> None:
        """Store or replace vectors."""

    def put_tokens(self, model: str, keys: Sequence[int], tokens: Sequence[NDArray[np.int8]]) -> None:
        """Store or replace token vectors, a row each."""

    def drop_vectors(self, model: str) -> int:
        """Delete all vectors of a model, those of tokens too. Return of how many memories."""

    def link(self, links: Sequence[Link], at: float) -> int:
        """Store edges. An existing edge keeps the higher weight. Return how many are new."""

    def unlink(self, source: int, target: int, type_: str) -> int:
        """Remove edges between two memories. Return how many."""

    def latest(
        self, count: int, *, source: str | None = None, before: float | None = None
    ) -> list[tuple[int, float]]:
        """Return the `count` newest live memories as (key, moment), newest first, with this transaction's."""

    def naming(self, entities: Sequence[str], per_entity: int) -> dict[str, tuple[int, list[int]]]:
        """Return for each entity how many live memories name it, and the newest `per_entity` keys."""

    def count_live(self, kinds: Sequence[str] = ()) -> int:
        """Count the live memories, or those of some kinds."""

    def touch(self, accesses: Mapping[int, tuple[int, float]]) -> None:
        """Add to access counts: key -> (times, last moment). Writes no version row."""

    def note(self, operation: str, memory_id: str, detail: str, at: float) -> None:
        """Append a line to the operation log."""

    def keep(self, name: str, value: str) -> None:
        """Keep a value of the namespace under a name, instead of the one before. Leaves no trace in the log."""

    @property
    def documents(self) -> DocumentsWriter:
        """The indexed files, writable."""

    @property
    def queue(self) -> QueueWriter:
        """The embedding queue, writable."""

    def put_run(self, run: Run, parts: Sequence[str] = ()) -> None:
        """Store or replace a run, and append `parts` to its plan."""

    def take_part(self, run: str) -> str | None:
        """Remove and return the first part of a run's plan; None if the plan is empty."""

    def put_doubts(self, doubts: Sequence[Doubt]) -> None:
        """Store or replace pairs in doubt."""

    def drop_doubts(self, run: str) -> int:
        """Remove the pairs that a run wrote last. Return how many."""

    def lease(self, name: str) -> Lease | None:
        """Return a lease, expired or not; None if it is free."""

    def put_lease(self, name: str, lease: Lease | None) -> None:
        """Store a lease, or remove it."""

    def erase(self, keys: Sequence[int], at: float) -> None:
        """Erase memories with versions, index terms, vectors, edges and evidence. No byte is left."""


class Store(Protocol):
    """A store of memories: one file, or one database."""

    zone: tzinfo
    """Time zone in which readers return moments. What is stored is UTC."""

    @property
    def location(self) -> str:
        """The location, for messages."""

    @property
    def writable(self) -> bool:
        """Whether writes are possible."""

    @property
    def unwritable(self) -> str:
        """Why the last write or probe found the store unwritable; "" if it is writable or opened read-only."""

    def probe(self) -> str:
        """Check again without writing or waiting for a lock. Return the new `unwritable`."""

    @property
    def busy(self) -> bool:
        """Whether another thread of this process writes, or waits to write."""

    @property
    def errors(self) -> tuple[type[Exception], ...]:
        """What its database raises inside a transaction. After such an error the transaction cannot go on."""

    def namespaces(self) -> list[str]:
        """Return the names of all namespaces, sorted."""

    def reader(self, namespace: str) -> Reader:
        """Return a reader of one namespace. It returns nothing of other namespaces."""

    def view(self, namespace: str) -> AbstractContextManager[Reader]:
        """Open a reader whose calls all see the state at its start; in a store in memory, perhaps later ones."""

    def transaction(self, namespace: str) -> AbstractContextManager[Writer]:
        """Open an atomic write. It commits when the block ends and rolls back on any error."""

    def check(self) -> list[str]:
        """Return problems found in the store as messages; empty if there are none."""

    def repair(self) -> list[str]:
        """Rebuild derived data from the originals. Return what was done as messages."""

    def backup(self, path: str, key: str | bytes | None = None) -> None:
        """Write a consistent copy to a new file, encrypted like the store or with the key given."""

    def close(self) -> None:
        """Release files and connections."""
