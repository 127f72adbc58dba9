"""The result of `think`: the answer, its citations, and the rejected sentences."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Literal

from combray.records import dataclass, field
from combray.types import Hit, Step

Mode = Literal["model", "extractive", "nothing"]
How = Literal["verbatim", "words", "meaning", "together", "repaired"]


@dataclass(frozen=True, slots=True)
class Citation:
    """One citation mark [number] of the answer.

    `memory_id`: the cited memory; `sentence`: the sentence with the mark; `quote`: the verbatim supporting
    passage. `how`: the sentence is the quote ("verbatim"); its words are in the memory ("words"); most are, and
    the embedder finds the sentence similar ("meaning"); several memories support it only together ("together");
    the model had cited another number ("repaired").
    """

    number: int
    memory_id: str
    sentence: str
    quote: str
    how: How


@dataclass(frozen=True, slots=True)
class Rejected:
    """A rejected sentence of the model, or a removed citation, and the reason."""

    sentence: str
    reason: str


@dataclass(frozen=True, slots=True)
class Thought:
    """An answer with citations.

    `answer` has marks [n], where n counts `sources` from 1. `known` is False if no memory answers the question;
    the sources are then only the nearest memories. `mode`: "model" (written by a language model), "extractive"
    (stored sentences) or "nothing". `confidence`, 0 to 1, of a model's answer: the mean share of each sentence's
    words that its cited memories have; on weak evidence at most recall's own. Of an extractive answer: recall's
    own. 0 if the answer is not known. `constitution`: SHA-256 of the constitution.
    """

    question: str
    answer: str
    known: bool
    mode: Mode
    reason: str = ""
    confidence: float = 0.0
    citations: tuple[Citation, ...] = ()
    sources: tuple[Hit, ...] = ()
    dropped: tuple[Rejected, ...] = ()
    constitution: str = ""
    details: dict[str, Any] = field(default_factory=dict)
    trace: tuple[Step, ...] = ()

    def __str__(self) -> str:
        return self.answer

    @property
    def for_audit(self) -> dict[str, Any]:
        """The part that the audit records: how the answer was made, but no text.

        `model` only if one was used; `constitution`: the first 16 digits of its SHA-256.
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
        """Return everything but the trace as JSON values."""
        return {
            "question": self.question,
            "answer": self.answer,
            "known": self.known,
            "mode": self.mode,
            "reason": self.reason,
            "confidence": round(self.confidence, 4),
            "citations": [asdict(each) for each in self.citations],
            "sources": [
                {
                    "number": number,
                    "id": hit.memory.id,
                    "content": hit.memory.content,
                    "author": hit.memory.author,
                    "when": hit.memory.moment.isoformat(),
                    "status": hit.memory.status,
                    "trust": hit.memory.trust,
                    "score": round(hit.score, 4),
                }
                for number, hit in enumerate(self.sources, 1)
            ],
            "dropped": [asdict(each) for each in self.dropped],
            "constitution": self.constitution,
            "details": self.details,
        }
