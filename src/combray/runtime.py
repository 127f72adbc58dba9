"""All of the outside world that a stage may touch: the store, the models, the clock.

Stages get a `Runtime` and nothing else. Every protocol here has more than one implementation, held to
the same behaviour by the suites in `combray.testing`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from combray.retrieval import (
    SHAPE_WORDS,
    Arm,
    Arrival,
    EntityArm,
    Filter,
    Found,
    Keys,
    KeywordArm,
    Link,
    MomentArm,
    Profile,
    Ranked,
    RecencyArm,
    Rows,
    Scores,
    VectorArm,
    Vectors,
)
from combray.types import Edge, Memory, Version

__all__ = [
    "SHAPE_WORDS",
    "Arm",
    "Arrival",
    "Clock",
    "Embedder",
    "EntityArm",
    "Filter",
    "Found",
    "Keys",
    "KeywordArm",
    "LanguageModel",
    "Link",
    "MomentArm",
    "Profile",
    "Ranked",
    "Reader",
    "RecencyArm",
    "Reranker",
    "Rows",
    "Runtime",
    "Scores",
    "Store",
    "VectorArm",
    "Vectors",
    "Writer",
]


class Reader(Protocol):
    """Reading one namespace. Every call gives the same answer for the same store."""

    def search(self, arms: Mapping[str, Arm], where: Filter, limit: int) -> Found:
        """Run every arm (best `limit` each) and score the union of their lists by all of them."""
        ...

    def rows(self, keys: Keys) -> Rows:
        """Columns of the given keys, in their order."""
        ...

    def ids(self, keys: Keys) -> list[str]:
        """Ids in the order of the keys; "" for a key of no memory here."""
        ...

    def accesses(self, keys: Keys) -> Scores:
        """How often each was accessed, in the order of the keys; 0 for a key of no memory here."""
        ...

    def memories(self, keys: Iterable[int]) -> list[Memory]:
        """Whole memories, in the order of the keys; unknown keys are left out."""
        ...

    def contents(self, keys: Iterable[int]) -> list[str]:
        """Texts only, in the order of the keys."""
        ...

    def keys_of(self, ids: Sequence[str]) -> dict[str, int]:
        """Keys of full ids (or of unique prefixes of at least eight characters); missing ones left out."""
        ...

    def neighbours(self, keys: Keys, before: int, after: int) -> list[list[int]]:
        """For each key the keys of turns around it in its session, in order, itself left out."""
        ...

    def eligible(self, keys: Keys, where: Filter) -> NDArray[np.bool_]:
        """Which of the keys the filter lets through; False for keys of no memory here."""
        ...

    def similarity(self, model: str, vector: NDArray[np.float32], keys: Keys) -> Scores:
        """Cosine with each key's vector; 0 where it has none."""
        ...

    def nearest(self, model: str, vectors: Vectors, where: Filter, limit: int, minimum: float) -> list[Ranked]:
        """The `limit` nearest memories of each vector with a cosine of at least `minimum`, best first.

        Inside a transaction: of what was committed before it."""
        ...

    def vectors(self, model: str, keys: Keys) -> tuple[Vectors, NDArray[np.bool_]]:
        """Vectors of the keys (zeros where none) and which have one."""
        ...

    def links(self, keys: Iterable[int], types: Sequence[str] = ()) -> list[Link]:
        """Every edge that starts or ends at one of the keys, ordered by source, target, type."""
        ...

    def edges(self, types: Sequence[str] = ()) -> list[Edge]:
        """All edges with ids, for export and pictures."""
        ...

    def scan(self, where: Filter, *, newest_first: bool = False, limit: int | None = None) -> Keys:
        """Keys of all memories the filter lets through, by moment then key."""
        ...

    def known_entities(self, candidates: Iterable[str]) -> set[str]:
        """Which of the candidates (compared casefolded) some live memory names; as given."""
        ...

    def entity_counts(self, limit: int = 20) -> list[tuple[str, int]]:
        """The most named entities and in how many live memories."""
        ...

    def profile(self) -> Profile:
        """What the data looks like."""
        ...

    def history(self, key: int) -> list[Version]:
        """Every change of a memory, oldest first."""
        ...

    def status(self) -> dict[str, Any]:
        """Counts for people: by status, kind, category; edges by type; vectors by model."""
        ...

    def log(self, limit: int) -> list[dict[str, Any]]:
        """The latest operations, newest first: number, at, operation, memory id, detail."""
        ...

    def revision(self) -> int:
        """Grows by one with every committed write to the namespace."""
        ...


class Writer(Reader, Protocol):
    """One open write transaction on one namespace; it reads its own writes where that matters."""

    def live_with_hash(self, hashes: Sequence[str]) -> dict[str, int]:
        """Keys of live memories by content hash, among the given hashes."""
        ...

    def next_position(self, session: str) -> int:
        """The position behind the last turn of the session."""
        ...

    def insert(self, arrivals: Sequence[Arrival]) -> list[int]:
        """Store the memories with their index terms, vectors and entities; their keys in order."""
        ...

    def change(self, key: int, operation: str, actor: str, at: float, **changes: Any) -> None:
        """Change fields of a memory, keeping what they were as a version row."""
        ...

    def put_history(self, key: int, versions: Sequence[Version]) -> None:
        """Store version rows as they were, numbers ascending, for a memory that has none: for imports."""
        ...

    def put_vectors(self, model: str, keys: Sequence[int], vectors: Vectors) -> None:
        """Store or replace vectors."""
        ...

    def link(self, links: Sequence[Link], at: float) -> int:
        """Store edges (one that exists already keeps the higher weight); how many are new."""
        ...

    def unlink(self, source: int, target: int, type_: str) -> int:
        """Remove edges between two memories; how many went."""
        ...

    def latest(
        self, count: int, *, source: str | None = None, before: float | None = None
    ) -> list[tuple[int, float]]:
        """The `count` newest live memories as (key, moment), newest first, incl. this transaction's."""
        ...

    def naming(self, entities: Sequence[str], per_entity: int) -> dict[str, tuple[int, list[int]]]:
        """For each entity how many live memories name it and the newest `per_entity` keys."""
        ...

    def count_live(self, kinds: Sequence[str] = ()) -> int:
        """How many live memories there are."""
        ...

    def touch(self, accesses: Mapping[int, tuple[int, float]]) -> None:
        """Add to access counts: key -> (times, last moment). Leaves no version row."""
        ...

    def note(self, operation: str, memory_id: str, detail: str, at: float) -> None:
        """Write a line to the operation log."""
        ...

    def erase(self, keys: Sequence[int], at: float) -> None:
        """Destroy memories with versions, index terms, vectors, edges and evidence: no byte stays."""
        ...


class Store(Protocol):
    """A place where memories live: one file, or one database."""

    @property
    def location(self) -> str:
        """Where it is, for messages."""
        ...

    @property
    def writable(self) -> bool:
        """Whether a write can be tried at all."""
        ...

    def namespaces(self) -> list[str]:
        """Names of all namespaces, sorted."""
        ...

    def reader(self, namespace: str) -> Reader:
        """A reader of one namespace; nothing it gives crosses into another."""
        ...

    def transaction(self, namespace: str) -> AbstractContextManager[Writer]:
        """One atomic write: commits when the block ends, rolls back on any error."""
        ...

    def check(self) -> list[str]:
        """Problems found in the store, in words; empty when it is sound."""
        ...

    def repair(self) -> list[str]:
        """Rebuild all that can be rebuilt from the originals; what was done, in words."""
        ...

    def backup(self, path: str) -> None:
        """Write a consistent copy to a new file."""
        ...

    def close(self) -> None:
        """Release files and connections."""
        ...


class Embedder(Protocol):
    """Turns texts into unit vectors. `name` goes with every vector: two models never mix."""

    @property
    def name(self) -> str:
        """Provider and model, such as "wordllama:256"."""
        ...

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        ...

    @property
    def leaves_process(self) -> bool:
        """Whether it calls a server."""
        ...

    @property
    def contextual(self) -> bool:
        """Whether a word's vector depends on the words around it: a sentence model, no static table."""
        ...

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """Vectors of unit length; a text with nothing in it gives zeros. Raises ModelError."""
        ...

    def knows(self, language: str) -> float:
        """How far it can be trusted in a language (ISO 639-1), 0-1: the weight of its signal."""
        ...


class Reranker(Protocol):
    """Scores texts against a query with a cross-encoder."""

    @property
    def name(self) -> str:
        """Provider and model."""
        ...

    def rerank(self, query: str, texts: Sequence[str]) -> list[float | None]:
        """One relevance in [0, 1] a text, in order; None where the model gave none. Raises ModelError."""
        ...


class LanguageModel(Protocol):
    """Completes a prompt."""

    @property
    def name(self) -> str:
        """Provider and model."""
        ...

    def complete(self, system: str, prompt: str, *, max_tokens: int = 512) -> str:
        """The model's answer. Raises ModelError."""
        ...


Clock = Callable[[], float]
"""The time now, in unix seconds."""


@dataclass(frozen=True, slots=True)
class Runtime:
    """What a stage may touch, and nothing else."""

    store: Store
    embedder: Embedder | None = None
    reranker: Reranker | None = None
    language_model: LanguageModel | None = None
    clock: Clock = time.time
