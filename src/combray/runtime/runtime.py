"""The one value that every stage gets beside its state."""

from __future__ import annotations

import time
from datetime import UTC, datetime, tzinfo

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
from combray.runtime.service_tier import ServiceTier
from combray.runtime.store import Store


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
