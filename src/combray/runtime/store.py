"""What a store offers: reading and writing one namespace, its files, its runs. Stages see it by `runtime`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from combray.runtime.documents import Documents, DocumentsWriter
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
    """One run of consolidation: when (unix seconds), running, done or undone, and what it did how often.

    `seen` is the key of the last episode it looked at for new facts, 0 if it looked at none.
    """

    id: str
    started: float
    ended: float | None = None
    state: str = "running"
    counts: Mapping[str, int] = field(default_factory=dict)
    seen: int = 0


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
    """Who alone may do something, and until when (unix seconds)."""

    holder: str
    until: float


class Reader(Protocol):
    """Reading one namespace. Every call gives the same answer for the same store."""

    def search(self, arms: Mapping[str, Arm], where: Filter, limit: int) -> Found:
        """Run every arm (best `limit` each) and score the union of their lists by all of them."""

    def rows(self, keys: Keys) -> Rows:
        """Columns of the given keys, in their order."""

    def ids(self, keys: Keys) -> list[str]:
        """Ids in the order of the keys; "" for a key of no memory here."""

    def accesses(self, keys: Keys) -> Scores:
        """How often each was accessed, in the order of the keys; 0 for a key of no memory here."""

    def memories(self, keys: Iterable[int]) -> list[Memory]:
        """Whole memories, in the order of the keys; unknown keys are left out."""

    def contents(self, keys: Iterable[int]) -> list[str]:
        """Texts only, in the order of the keys."""

    def keys_of(self, ids: Sequence[str]) -> dict[str, int]:
        """Keys of full ids (or of unique prefixes of at least eight characters); missing ones left out."""

    def neighbours(self, keys: Keys, before: int, after: int) -> list[list[int]]:
        """For each key the keys of turns around it in its session, in order, itself left out."""

    def eligible(self, keys: Keys, where: Filter) -> NDArray[np.bool_]:
        """Which of the keys the filter lets through; False for keys of no memory here."""

    def similarity(self, model: str, vector: NDArray[np.float32], keys: Keys) -> Scores:
        """Cosine with each key's vector; 0 where it has none."""

    def nearest(self, model: str, vectors: Vectors, where: Filter, limit: int, minimum: float) -> list[Ranked]:
        """The `limit` nearest memories of each vector with a cosine of at least `minimum`, best first.

        Inside a transaction: of what was committed before it."""

    def vectors(self, model: str, keys: Keys) -> tuple[Vectors, NDArray[np.bool_]]:
        """Vectors of the keys (zeros where none) and which have one."""

    def covered(self, model: str, where: Filter) -> tuple[int, int]:
        """How many memories that the filter lets through have a vector of the model, and of how many."""

    def links(self, keys: Iterable[int], types: Sequence[str] = ()) -> list[Link]:
        """Every edge that starts or ends at one of the keys, ordered by source, target, type."""

    def edges(self, types: Sequence[str] = ()) -> list[Edge]:
        """All edges with ids, for export and pictures."""

    def scan(self, where: Filter, *, newest_first: bool = False, limit: int | None = None) -> Keys:
        """Keys of all memories the filter lets through, by moment then key."""

    def page(
        self, condition: Condition | None, order: Order, limit: int, after: Place | None = None
    ) -> list[int]:
        """Keys of the memories of any status and trust that meet the condition, in order, from behind a place."""

    def count(self, condition: Condition | None) -> int:
        """How many memories of any status and trust meet the condition."""

    def known_entities(self, candidates: Iterable[str]) -> set[str]:
        """Which of the candidates (compared casefolded) some live memory names; as given."""

    def entity_counts(self, limit: int = 20) -> list[tuple[str, int]]:
        """The most named entities and in how many live memories."""

    def profile(self) -> Profile:
        """What the data looks like."""

    def history(self, key: int) -> list[Version]:
        """Every change of a memory, oldest first."""

    def status(self) -> dict[str, Any]:
        """Counts for people: by status, kind, category; edges by type; vectors by model."""

    def log(self, limit: int) -> list[dict[str, Any]]:
        """The latest operations, newest first: number, at, operation, memory id, detail."""

    def revision(self) -> int:
        """Grows by one with every committed write to the namespace."""

    @property
    def documents(self) -> Documents:
        """The files it holds."""

    @property
    def queue(self) -> Queue:
        """Which memories wait for a vector."""

    def runs(self, limit: int) -> list[Run]:
        """The latest runs of consolidation, newest first."""

    def changed_by(self, actor: str) -> list[int]:
        """Keys of the memories that an actor has changed, ascending."""

    def doubts(self) -> list[Doubt]:
        """Every pair in doubt, answered or not, ordered by keys."""


class Writer(Reader, Protocol):
    """One open write transaction on one namespace; it reads its own writes where that matters."""

    def live_with_hash(self, hashes: Sequence[str]) -> dict[str, int]:
        """Keys of live memories by content hash, among the given hashes."""

    def next_position(self, session: str) -> int:
        """The position behind the last turn of the session."""

    def insert(self, arrivals: Sequence[Arrival]) -> list[int]:
        """Store the memories with their index terms, vectors and entities; their keys in order."""

    def change(self, key: int, operation: str, actor: str, at: float, **changes: Any) -> None:
        """Change fields, keeping what they were as a version row. A new text drops the vectors of the old one."""

    def put_history(self, key: int, versions: Sequence[Version]) -> None:
        """Store version rows as they were, numbers ascending, for a memory that has none: for imports."""

    def put_vectors(self, model: str, keys: Sequence[int], vectors: Vectors) -> None:
        """Store or replace vectors."""

    def drop_vectors(self, model: str) -> int:
        """Destroy all vectors of a model; how many."""

    def link(self, links: Sequence[Link], at: float) -> int:
        """Store edges (one that exists already keeps the higher weight); how many are new."""

    def unlink(self, source: int, target: int, type_: str) -> int:
        """Remove edges between two memories; how many went."""

    def latest(
        self, count: int, *, source: str | None = None, before: float | None = None
    ) -> list[tuple[int, float]]:
        """The `count` newest live memories as (key, moment), newest first, incl. this transaction's."""

    def naming(self, entities: Sequence[str], per_entity: int) -> dict[str, tuple[int, list[int]]]:
        """For each entity how many live memories name it and the newest `per_entity` keys."""

    def count_live(self, kinds: Sequence[str] = ()) -> int:
        """How many live memories there are."""

    def touch(self, accesses: Mapping[int, tuple[int, float]]) -> None:
        """Add to access counts: key -> (times, last moment). Leaves no version row."""

    def note(self, operation: str, memory_id: str, detail: str, at: float) -> None:
        """Write a line to the operation log."""

    @property
    def documents(self) -> DocumentsWriter:
        """The files it holds, to change them."""

    @property
    def queue(self) -> QueueWriter:
        """Which memories wait for a vector, to change that."""

    def put_run(self, run: Run, parts: Sequence[str] = ()) -> None:
        """Store a run, or replace it; `parts` of its plan are put behind those that are left."""

    def take_part(self, run: str) -> str | None:
        """Remove the first part that is left of a run's plan and give it; None when all is done."""

    def put_doubts(self, doubts: Sequence[Doubt]) -> None:
        """Store pairs in doubt, or replace them."""

    def drop_doubts(self, run: str) -> int:
        """Forget the pairs that a run wrote last; how many."""

    def lease(self, name: str) -> Lease | None:
        """Who holds a lease, run out or not."""

    def put_lease(self, name: str, lease: Lease | None) -> None:
        """Give a lease to somebody, or to nobody."""

    def erase(self, keys: Sequence[int], at: float) -> None:
        """Destroy memories with versions, index terms, vectors, edges and evidence: no byte stays."""


class Store(Protocol):
    """A place where memories live: one file, or one database."""

    @property
    def location(self) -> str:
        """Where it is, for messages."""

    @property
    def writable(self) -> bool:
        """Whether a write can be tried at all."""

    @property
    def unwritable(self) -> str:
        """Why nothing can be written, as the last write or probe found; "" if it can, or was not to be."""

    def probe(self) -> str:
        """Look again, without writing to the store or waiting for anybody; what `unwritable` is then."""

    def namespaces(self) -> list[str]:
        """Names of all namespaces, sorted."""

    def reader(self, namespace: str) -> Reader:
        """A reader of one namespace; nothing it gives crosses into another."""

    def transaction(self, namespace: str) -> AbstractContextManager[Writer]:
        """One atomic write: commits when the block ends, rolls back on any error."""

    def check(self) -> list[str]:
        """Problems found in the store, in words; empty when it is sound."""

    def repair(self) -> list[str]:
        """Rebuild all that can be rebuilt from the originals; what was done, in words."""

    def backup(self, path: str, key: str | bytes | None = None) -> None:
        """Write a consistent copy to a new file, encrypted like the store or with the key given."""

    def close(self) -> None:
        """Release files and connections."""
