"""The one value that every stage gets beside its state, and the part of an engine that other rooms use.

Service tiers say which capabilities are available now, and why. Source: docs/reference/service-tiers.md.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from typing import Any, Literal, Protocol, Unpack, runtime_checkable

import msgspec
from msgspec.structs import replace

from combray.records import dataclass
from combray.runtime.audit import Audit
from combray.runtime.models import (
    Clock,
    Detector,
    Embedder,
    Judge,
    LanguageModel,
    Peer,
    Reranker,
    Start,
    TokenEmbedder,
    WordVectors,
    at_once,
)
from combray.runtime.store import Reader, Store
from combray.types import Answer, MemoryItem, RecallOptions, Remembered

TierName = Literal["FULL", "STANDARD", "BASIC", "READONLY"]


class Tier(msgspec.Struct, frozen=True):
    """A service tier.

    FULL: embedder, graph and language model. STANDARD: no language model. BASIC: keywords and graph only.
    READONLY: no writes; `why` names missing models too. `since`: unix seconds since it was first observed.
    `degraded`: it is lower than the configured tier.
    """

    name: TierName
    why: str
    since: float
    degraded: bool = False

    def without_vector(self, failure: str) -> Tier:
        """Return the tier of one answer whose query could not be embedded because of `failure`."""
        if self.name == "READONLY":
            return replace(self, why=f"{self.why}; {failure}", degraded=True)
        return replace(self, name="BASIC", why=failure, degraded=True)


class ServiceTier(Protocol):
    """Determines the service tier."""

    def now(self, *, check: bool = False) -> Tier:
        """Return the tier. `check`: probe the store now, even if no check is due."""


@dataclass(frozen=True, slots=True)
class Runtime:
    """What a stage may touch, and nothing else."""

    store: Store
    embedder: Embedder | None = None
    reranker: Reranker | None = None
    language_model: LanguageModel | None = None
    judge: Judge | None = None
    clock: Clock = time.time
    zone: tzinfo = UTC
    """Time zone of the caller's days."""
    peers: tuple[Peer, ...] = ()
    start: Start = at_once
    service_tier: ServiceTier | None = None
    audit: Audit | None = None
    words: WordVectors | None = None
    """Vectors of single words; None without a static embedder in this process."""
    detector: Detector | None = None
    """The guard's second opinion about third-party texts."""
    before: Embedder | None = None
    """The embedder that serves while memories have no vector of `embedder` yet: the one used before it."""
    tokens: TokenEmbedder | None = None
    """Vectors of tokens for late interaction; None without such a model."""

    def local(self, at: float) -> datetime:
        """Return unix seconds as a datetime of the caller's time zone."""
        return datetime.fromtimestamp(at, self.zone)


@runtime_checkable
class Rememberer(Protocol):
    """A namespace that memories can be written to."""

    @property
    def runtime(self) -> Runtime:
        """The open store, the models and the clock."""

    @property
    def namespace(self) -> str:
        """Name of the namespace."""

    def remember_many(
        self,
        items: Iterable[str | MemoryItem],
        *,
        diff: bool = True,
        batch: int = 256,
        progress: Callable[[int], None] | None = None,
        judged_as: str = "",
        atomic: bool = False,
    ) -> list[Remembered]:
        """Remember every item; the results in order."""


class Space(Protocol):
    """One of the namespaces of a read."""

    @property
    def reader(self) -> Reader:
        """A reader of the namespace."""

    @property
    def trusts(self) -> tuple[str, ...]:
        """Trust levels that reads of it show."""


class Memories(Rememberer, Space, Protocol):
    """A namespace that memories can be written to and recalled from."""

    @property
    def settings(self) -> Mapping[str, Any]:
        """Settings in force, by name."""

    def recall(
        self,
        query: str,
        *,
        limit: int = 10,
        preset: Any = None,
        namespaces: Sequence[str] | None = None,
        **options: Unpack[RecallOptions],
    ) -> Answer:
        """The memories that answer a query, best first; `preset` is a name or a `Preset`."""

    def search(
        self,
        query: str,
        *,
        limit: int = 10,
        namespaces: Sequence[str] | None = None,
        **options: Unpack[RecallOptions],
    ) -> Answer:
        """Keyword search only."""
