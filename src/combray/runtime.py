"""All of the outside world that a stage may touch: the store, the models, the clock.

Stages get a `Runtime` and nothing else. Every protocol here has more than one implementation, held to
the same behaviour by the suites in `combray.testing`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from combray.types import LIVE_STATUSES, Edge, EdgeType, Memory, Version

Keys = NDArray[np.int64]
"""Store-internal integer keys of memories: ascending in the order of writing, never reused."""
Scores = NDArray[np.float64]
"""One score a key; higher is better."""
Vectors = NDArray[np.float32]
"""Rows of unit length, one a text: shape (texts, dimensions)."""

SHAPE_WORDS = 40
"""Up to so many words a turn on average, a session's turns count in full as each other's context.

Measured on LoCoMo (turns of 22 words, nothing lost against no limit) and on chats with an assistant
(200 words a turn, gain 0.04, no context wanted): docs/quality.md."""


@dataclass(frozen=True, slots=True)
class Filter:
    """Which memories a read may see. Empty tuples mean "any". Applied inside every retrieval arm.

    Times are unix seconds. `since`/`until` bound the moment it happened: [since, until). `as_of` shows
    what was known, and held to be true, at that time. `now` hides what has expired.
    """

    statuses: tuple[str, ...] = LIVE_STATUSES
    kinds: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()
    tiers: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    trusts: tuple[str, ...] = ("owner", "agent", "untrusted")
    since: float | None = None
    until: float | None = None
    as_of: float | None = None
    now: float | None = None
    min_confidence: float = 0.0
    min_importance: int = 1


@dataclass(frozen=True, slots=True)
class KeywordArm:
    """Keyword evidence over the index fields (content, context, author and date, entities and tags).

    `scoring` "bm25f" is BM25F with `fields` as term-frequency weights; "coverage" is the share of the
    query's terms that a memory holds (Mnemon 5.2 step 4: token_intersection / query_token_count).
    `before`/`after` lend a turn the words (and the length) of the turns before and after it in its
    session at lower weight: the first number is for the adjacent turn, which counts `question_boost` times
    when it comes before and ends in a question. What is lent is scaled by the session's gain,
    min(1, (shape_words / mean words of its turns)^2); `shape_words` 0 makes every gain 1.
    `mode` "all" keeps only memories that hold every term.
    `normalise` gives BM25F as a share of the score that a perfect match of the query would get, in [0, 1).
    An arm that is not `listed` scores the candidates of the others and brings none of its own.
    `posting_budget` bounds the work: the rarest terms are read first until that many postings are read
    (never fewer than three terms).
    """

    terms: tuple[tuple[str, float], ...]
    mode: Literal["any", "all"] = "any"
    scoring: Literal["bm25f", "coverage"] = "bm25f"
    fields: tuple[float, float, float, float] = (1.0, 1.0, 1.0, 1.0)
    before: tuple[float, ...] = ()
    after: tuple[float, ...] = ()
    shape_words: int = SHAPE_WORDS
    question_boost: float = 1.5
    k1: float = 1.2
    b: float = 0.75
    posting_budget: int = 20_000
    normalise: bool = False
    listed: bool = True


@dataclass(frozen=True, slots=True)
class VectorArm:
    """Cosine of the query vector with the memory's, in [-1, 1]; below `minimum` is no evidence.

    `before`/`after` add the neighbours' cosines at lower weight, all taken as differences from the mean
    cosine of all memories and scaled as in `KeywordArm`; a score can then leave [-1, 1].
    """

    vector: NDArray[np.float32]
    model: str
    minimum: float = 0.0
    before: tuple[float, ...] = ()
    after: tuple[float, ...] = ()
    shape_words: int = SHAPE_WORDS
    question_boost: float = 1.5


@dataclass(frozen=True, slots=True)
class RecencyArm:
    """The latest memories first; the score is 1 for the newest and falls with rank, 1/(1+rank)."""


@dataclass(frozen=True, slots=True)
class MomentArm:
    """Memories by when they happened: each window is (since, until, score), unix seconds, [since, until).

    A memory takes the highest score of the windows that hold its moment; only memories of at least
    `minimum` are listed, the others are scored when another arm finds them.
    """

    windows: tuple[tuple[float, float, float], ...]
    minimum: float = 0.0


@dataclass(frozen=True, slots=True)
class EntityArm:
    """Memories that name the given entities; the score is the share of them that it names."""

    entities: tuple[str, ...]


Arm = KeywordArm | VectorArm | RecencyArm | EntityArm | MomentArm


@dataclass(frozen=True, slots=True)
class Ranked:
    """One arm's list, best first, ties by key."""

    keys: Keys
    scores: Scores


@dataclass(frozen=True, slots=True)
class Found:
    """The union of all arms' lists. `scores[name]` is aligned with `keys`; 0 where an arm has no evidence."""

    keys: Keys
    lists: Mapping[str, Ranked]
    scores: Mapping[str, Scores]
    eligible: int


@dataclass(frozen=True, slots=True)
class Rows:
    """Facts of memories as aligned columns, for scoring without loading texts.

    `session` and `author` hold codes into the store's own tables (-1: none); two rows of one session
    have equal codes. `moment` and `recorded` are unix seconds. `asks` and `times` are flags: the text
    ends in a question; it holds a time expression. `cues` are bits of `language.cues.Cue`: the kinds of
    answer the text holds. `gain` is the session's gain at SHAPE_WORDS, in (0, 1]: near 1 in a conversation
    of short turns, near 0 where turns are long. A memory without session is a session of its own.
    """

    keys: Keys
    author: NDArray[np.int64]
    author_names: tuple[str, ...]
    session: NDArray[np.int64]
    position: NDArray[np.int64]
    words: NDArray[np.int64]
    moment: NDArray[np.float64]
    recorded: NDArray[np.float64]
    importance: NDArray[np.float64]
    confidence: NDArray[np.float64]
    tier: NDArray[np.int64]
    asks: NDArray[np.bool_]
    times: NDArray[np.bool_]
    cues: NDArray[np.int64]
    gain: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Profile:
    """What the data of a namespace looks like, so that stages can adapt: counts, lengths, speakers."""

    memories: int
    median_words: float
    authors: tuple[str, ...]
    with_session: float
    latest_moment: float | None


@dataclass(frozen=True, slots=True)
class Link:
    """An edge between two keys, as the graph stages use it."""

    source: int
    target: int
    type: EdgeType
    weight: float
    subtype: str = ""
    reason: str = ""
    created_by: str = "combray"


@dataclass(frozen=True, slots=True)
class Arrival:
    """A memory to insert, with its vectors by model name (unit length, or none yet)."""

    memory: Memory
    vectors: Mapping[str, NDArray[np.float32]] = field(default_factory=dict)


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
