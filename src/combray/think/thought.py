"""What `think` returns: the answer, what each sentence of it rests on, and what was not let through."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from combray.types import Hit, Step

Mode = Literal["model", "extractive", "nothing"]
How = Literal["verbatim", "words", "meaning", "together", "repaired"]


@dataclass(frozen=True, slots=True)
class Citation:
    """One mark [number] of the answer.

    `memory_id` is the memory behind it, `sentence` the sentence that carries the mark, `quote` the place of the
    memory that says it, to the letter. `how`: the sentence is the quote ("verbatim"); its words are in the memory
    ("words"); most are, and the embedder finds the rest near ("meaning"); several memories say it only together
    ("together"); the model had cited another number ("repaired").
    """

    number: int
    memory_id: str
    sentence: str
    quote: str
    how: How

    def as_json(self) -> dict[str, Any]:
        """The fields by name."""
        return {
            "number": self.number,
            "memory_id": self.memory_id,
            "sentence": self.sentence,
            "quote": self.quote,
            "how": self.how,
        }


@dataclass(frozen=True, slots=True)
class Dropped:
    """A sentence of the model that was not let through, and why; or a citation taken from one that was."""

    sentence: str
    reason: str


@dataclass(frozen=True, slots=True)
class Thought:
    """An answer with citations.

    `answer` holds marks [n]; n counts `sources` from 1. `known` is False where nothing remembered answers: the
    sources are then only the nearest. `mode`: a "model" wrote it, it is "extractive" (sentences as they were
    stored), or there is "nothing". `confidence` is 0-1: the preset's own where it gives one, else the share
    of the question's words that the best sentence's memory holds. `constitution`: SHA-256 of the laws in force.
    """

    question: str
    answer: str
    known: bool
    mode: Mode
    reason: str = ""
    confidence: float = 0.0
    citations: tuple[Citation, ...] = ()
    sources: tuple[Hit, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    constitution: str = ""
    details: dict[str, Any] = field(default_factory=dict)
    trace: tuple[Step, ...] = ()

    def __str__(self) -> str:
        return self.answer

    @property
    def for_audit(self) -> dict[str, Any]:
        """What the audit keeps of it: how it was made and under which laws, and no word of it.

        `model` only where one wrote it; `constitution`: the first 16 digits of the laws' SHA-256.
        """
        model = {"model": self.details["model"]} if "model" in self.details else {}
        return {
            "known": self.known,
            "mode": self.mode,
            **model,
            "citations": len(self.citations),
            "dropped": len(self.dropped),
            "constitution": self.constitution[:16],
        }

    def as_json(self) -> dict[str, Any]:
        """Everything but the trace, as values that JSON has."""
        return {
            "question": self.question,
            "answer": self.answer,
            "known": self.known,
            "mode": self.mode,
            "reason": self.reason,
            "confidence": round(self.confidence, 4),
            "citations": [each.as_json() for each in self.citations],
            "sources": [_source(number, hit) for number, hit in enumerate(self.sources, 1)],
            "dropped": [{"sentence": each.sentence, "reason": each.reason} for each in self.dropped],
            "constitution": self.constitution,
            "details": self.details,
        }


def _source(number: int, hit: Hit) -> dict[str, Any]:
    memory = hit.memory
    return {
        "number": number,
        "id": memory.id,
        "content": memory.content,
        "author": memory.author,
        "when": memory.moment.isoformat(),
        "status": memory.status,
        "trust": memory.trust,
        "score": round(hit.score, 4),
    }
