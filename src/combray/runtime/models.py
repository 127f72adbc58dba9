"""Models, peers, the clock and background work, as a stage sees them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, TypeVar

import msgspec

from combray.runtime.retrieval import Vectors

T = TypeVar("T")


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


@dataclass(frozen=True, slots=True)
class PeerHit:
    """One text that another memory service gave: nothing of ours, so never trusted and never stored.

    `id` and `score` are the service's own; scores of two services cannot be compared. `when` is aware, or
    None where the service does not tell.
    """

    text: str
    score: float = 0.0
    id: str = ""
    when: datetime | None = None
    source: str = ""


class Peer(Protocol):
    """Another memory service, asked over HTTP."""

    @property
    def name(self) -> str:
        """The name its results are shown under, such as "mem0"."""
        ...

    @property
    def timeout(self) -> float:
        """Seconds to wait for it."""
        ...

    def search(self, query: str, limit: int, namespace: str) -> list[PeerHit]:
        """At most `limit` results in the service's order. Raises ModelError."""
        ...


class Start(Protocol):
    """Starts work that may take long and gives its future."""

    def __call__(self, work: Callable[[], T]) -> Future[T]:
        """Never raises what the work raises: the future holds it."""
        ...


def at_once(work: Callable[[], T]) -> Future[T]:
    """Does the work before it returns, in the caller's thread."""
    future: Future[T] = Future()
    try:
        future.set_result(work())
    except Exception as error:  # noqa: BLE001 - the future hands it to whoever asks for the result
        future.set_exception(error)
    return future


Clock = Callable[[], float]
"""The time now, in unix seconds."""


class Health(msgspec.Struct, frozen=True):
    """How a model or peer has fared in this process; those that know offer `health()`.

    `state`: closed (calls go through), open (refused for `retry_in` more seconds) or half-open (the next call
    is a try). `in_a_row`: failures of the last 300 s since it last answered, counted up to 5; `reason`: the
    last of them. `calls`, `failures`, `tokens`: all there were.
    """

    state: str = "closed"
    in_a_row: int = 0
    reason: str = ""
    retry_in: float = 0.0
    calls: int = 0
    failures: int = 0
    tokens: int = 0
