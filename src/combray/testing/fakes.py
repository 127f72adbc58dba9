"""Deterministic fakes: memories, vectors, models, and a clock that is set by hand."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from combray.errors import ModelError
from combray.language.indexing import with_hash
from combray.language.tokens import term_set
from combray.records import dataclass, field
from combray.runtime import Vectors
from combray.types import Memory

START = datetime(2024, 5, 1, 12, 0, tzinfo=UTC)
"""The moment 0 of `memory` and of `FakeClock`."""


def memory(content: str, minutes: float = 0, **fields: Any) -> Memory:
    """Return a memory recorded `minutes` after START. Its id is derived from both arguments."""
    known: dict[str, Any] = {
        "id": hashlib.sha256(f"{content}|{minutes}".encode("utf-8", "replace")).hexdigest()[:32],
        "namespace": "default",
        "recorded_at": START + timedelta(minutes=minutes),
    }
    made = Memory(content=content, **(known | fields))
    return made if made.content_hash else with_hash(made)


def vector(*components: float) -> NDArray[np.float32]:
    """Return a vector of unit length."""
    given = np.array(components, dtype=np.float64)
    result: NDArray[np.float32] = (given / max(float(np.linalg.norm(given)), 1e-12)).astype(np.float32)
    return result


@dataclass
class FakeClock:
    """A clock in unix seconds that changes only by `pass_` and `go_to`."""

    now: float = START.timestamp()

    def __call__(self) -> float:
        """Return the current time."""
        return self.now

    def pass_(self, **duration: float) -> None:
        """Advance by the arguments of `timedelta`: `clock.pass_(days=3)`."""
        self.now += timedelta(**duration).total_seconds()

    def go_to(self, day: str) -> None:
        """Set the time to the start of an ISO day, UTC: `clock.go_to("2026-03-02")`."""
        self.now = datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp()


@dataclass
class FakeEmbedder:
    """Counts of content terms in hashed dimensions: texts that share words are near each other.

    `failing`: every call raises ModelError, like a server that is down.
    """

    name: str = "fake:64"
    dimensions: int = 64
    leaves_process: bool = False
    contextual: bool = True
    failing: bool = False
    calls: list[list[str]] = field(default_factory=list)

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        del query
        self.calls.append(list(texts))
        if self.failing:
            raise ModelError(f"{self.name}: does not answer")
        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for term in term_set(text):
                row[int.from_bytes(hashlib.sha256(term.encode()).digest()[:4], "big") % self.dimensions] += 1.0
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        rows /= np.where(lengths > 0, lengths, 1.0)
        return rows

    def knows(self, language: str) -> float:
        del language
        return 1.0


@dataclass
class FakeTokens:
    """A late-interaction model: each term of a text is a direction of its own, by hash."""

    name: str = "fake:tokens"
    dimensions: int = 64
    leaves_process: bool = False
    failing: bool = False
    calls: list[list[str]] = field(default_factory=list)

    def embed_tokens(self, texts: Sequence[str], *, query: bool = False) -> list[NDArray[np.int8]]:
        del query
        self.calls.append(list(texts))
        if self.failing:
            raise ModelError(f"{self.name}: does not answer")
        found = []
        for text in texts:
            rows = np.zeros((len(term_set(text)), self.dimensions), dtype=np.int8)
            for row, term in zip(rows, sorted(term_set(text)), strict=True):
                row[int.from_bytes(hashlib.sha256(term.encode()).digest()[:4], "big") % self.dimensions] = 127
            found.append(rows)
        return found

    def knows(self, language: str) -> float:
        return float(language == "en")


@dataclass
class FakeReranker:
    """Relevance is the share of the query's terms in a text; None for texts in `unknown`."""

    name: str = "fake"
    failing: bool = False
    unknown: frozenset[str] = frozenset()

    def rerank(self, query: str, texts: Sequence[str]) -> list[float | None]:
        if self.failing:
            raise ModelError(f"{self.name}: does not answer")
        wanted = term_set(query)
        return [
            None if text in self.unknown else len(wanted & term_set(text)) / max(len(wanted), 1) for text in texts
        ]


@dataclass
class FakeDistiller:
    """A language model for extraction: it states a given fact for each line that it knows."""

    facts: Mapping[str, str | Mapping[str, Any]]
    """By the text of a line: the fact, or the fields of the answer about it."""
    name: str = "distiller"
    leaves_process: bool = False

    def complete(self, system: str, prompt: str, *, max_tokens: int = 512) -> str:
        del system, max_tokens
        found: dict[str, dict[str, Any]] = {}
        for number, text in re.findall(r"^(\d+)\. \S+, [^:\n]*: (.*)$", prompt, re.MULTILINE):
            if (fact := self.facts.get(text)) is not None:
                fields = {"fact": fact} if isinstance(fact, str) else dict(fact)
                found.setdefault(fields["fact"], fields | {"lines": []})["lines"].append(int(number))
        return json.dumps({"facts": list(found.values()), "known": []})


@dataclass
class FakeLanguageModel:
    """Returns the given answers in their order and records the prompts."""

    answers: list[str] = field(default_factory=list)
    name: str = "fake"
    prompts: list[tuple[str, str]] = field(default_factory=list)

    def complete(self, system: str, prompt: str, *, max_tokens: int = 512) -> str:
        del max_tokens
        self.prompts.append((system, prompt))
        if not self.answers:
            raise ModelError(f"{self.name}: no answer left")
        return self.answers.pop(0)
