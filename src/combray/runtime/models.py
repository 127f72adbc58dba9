"""Protocols of models, peers, the clock and background work."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Protocol, TypeVar

import msgspec

from combray.records import dataclass
from combray.runtime.retrieval import Vectors

if TYPE_CHECKING:
    from concurrent.futures import Future

    import numpy as np
    from numpy.typing import NDArray

T = TypeVar("T")


class Named(Protocol):
    """What every model and peer has."""

    @property
    def name(self) -> str:
        """Provider and model, such as "wordllama:256"."""


class TextModel(Named, Protocol):
    """Turns texts into vectors, which are stored under its `name`, so models never mix."""

    @property
    def dimensions(self) -> int:
        """Length of a vector."""

    @property
    def leaves_process(self) -> bool:
        """Whether it calls a server."""

    def knows(self, language: str) -> float:
        """Return the weight of its signal in a language (ISO 639-1), in [0, 1]."""


class Embedder(TextModel, Protocol):
    """Turns texts into unit vectors."""

    @property
    def contextual(self) -> bool:
        """Whether a word's vector depends on its neighbours: a sentence model, not a static table."""

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """Return vectors of unit length, zeros for an empty text. Raises ModelError."""


class TokenEmbedder(TextModel, Protocol):
    """Turns texts into one vector a token, for late interaction (ColBERT)."""

    def embed_tokens(self, texts: Sequence[str], *, query: bool = False) -> list[NDArray[np.int8]]:
        """Return the token vectors of each text as int8 rows, no row for an empty text. Raises ModelError."""


class WordVectors(Named, Protocol):
    """Vectors of words by a static embedder, whose name they have."""

    def rows(self, words: Sequence[str]) -> tuple[NDArray[np.bool_], NDArray[np.float32]]:
        """Return which words count (no stop words), and the vectors of those that do."""

    def of_texts(self, texts: Sequence[tuple[str, ...]]) -> tuple[list[int], NDArray[np.float32]]:
        """Return for each text, given as its words, how many count, and the vectors of these in order."""


class Reranker(Named, Protocol):
    """Scores texts against a query with a cross-encoder."""

    def rerank(self, query: str, texts: Sequence[str]) -> list[float | None]:
        """Return one relevance in [0, 1] per text, None if the model gave none. Raises ModelError."""


@dataclass(frozen=True, slots=True)
class Entailment:
    """What follows from a premise for a hypothesis: three shares that add up to 1."""

    entailment: float
    neutral: float
    contradiction: float


class Judge(Named, Protocol):
    """Tells whether one text follows from another: natural language inference."""

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Entailment | None]:
        """Return the shares of each pair (premise, hypothesis), None for an empty text. Raises ModelError."""


class Detector(Named, Protocol):
    """Estimates the probability that a text is a prompt injection: the guard's second opinion."""

    def injection(self, text: str) -> float:
        """Return a probability in [0, 1]. Raises ModelError."""


class LanguageModel(Named, Protocol):
    """Completes a prompt.

    It may also have `complete_json(system, prompt, schema, *, max_tokens)`, whose answer follows a JSON schema.
    """

    def complete(self, system: str, prompt: str, *, max_tokens: int = 512) -> str:
        """Return the model's answer, stripped. Raises ModelError."""


@dataclass(frozen=True, slots=True)
class PeerHit:
    """One result of another memory service. Third-party content: never trusted, never stored.

    `id` and `score` are the service's own; scores of two services are not comparable. `when` is aware, or None
    if the service reports no time.
    """

    text: str
    score: float = 0.0
    id: str = ""
    when: datetime | None = None
    source: str = ""


class Peer(Named, Protocol):
    """Another memory service, queried over HTTP. Its name labels its results: "mem0"."""

    @property
    def timeout(self) -> float:
        """Seconds to wait for it."""

    def search(self, query: str, limit: int, namespace: str) -> list[PeerHit]:
        """Return at most `limit` results in the service's order. Raises ModelError."""


class Start(Protocol):
    """Starts work that may take long, and returns its future."""

    def __call__(self, work: Callable[[], T]) -> Future[T]:
        """Start the work. The future holds its exception, if it raises one."""


def at_once(work: Callable[[], T]) -> Future[T]:
    """Run the work in the caller's thread, and return its finished future."""
    from concurrent.futures import Future

    future: Future[T] = Future()
    try:
        future.set_result(work())
    except Exception as error:  # noqa: BLE001 - the future hands it to whoever asks for the result
        future.set_exception(error)
    return future


Clock = Callable[[], float]
"""The time now, in unix seconds."""


class Health(msgspec.Struct, frozen=True):
    """State of a model or peer in this process, returned by its optional method `health()`.

    `state`: closed (calls are made), open (refused for `retry_in` more seconds) or half-open (the next call is a
    trial). `in_a_row`: failures within 300 s since the last answer, up to 5. `reason`: the last failure.
    `calls`, `failures`, `tokens`: totals.
    """

    state: str = "closed"
    in_a_row: int = 0
    reason: str = ""
    retry_in: float = 0.0
    calls: int = 0
    failures: int = 0
    tokens: int = 0
