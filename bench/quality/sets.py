"""One shape for every set: collections of items, and questions with the items that answer them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class Item:
    """One thing to remember. `context` is what came with the text, such as a picture's caption."""

    ref: str
    text: str
    author: str | None = None
    session: str | None = None
    occurred_at: datetime | None = None
    context: str = ""

    @property
    def shown(self) -> str:
        """Text and context: what a plain system indexes."""
        return f"{self.text} {self.context}".strip()

    @property
    def fields(self) -> dict[str, Any]:
        """What `remember_many` takes of it, without fields that are empty."""
        given = {"content": self.text, "author": self.author, "session": self.session, "context": self.context}
        return {name: value for name, value in (given | {"occurred_at": self.occurred_at}).items() if value}


@dataclass(frozen=True, slots=True)
class Question:
    """A question and the refs of what answers it; `answerable` is False if nothing does."""

    text: str
    gold: frozenset[str]
    category: str = "all"
    answerable: bool = True


@dataclass(frozen=True, slots=True)
class Collection:
    """One conversation (or one body of documents): its own namespace in the engine.

    `unit` "session" means that gold refs are sessions: a hit counts for its session, once.
    """

    name: str
    items: tuple[Item, ...]
    questions: tuple[Question, ...]
    unit: str = "item"

    @property
    def now(self) -> datetime:
        """The moment of asking: the last moment in the collection; 1 January 2025 if nothing is dated."""
        moments = [item.occurred_at for item in self.items if item.occurred_at]
        return max(moments, default=datetime(2025, 1, 1, tzinfo=UTC))

    @property
    def asked(self) -> tuple[Question, ...]:
        """Questions that recall is measured on: answerable and with gold in the collection."""
        return tuple(question for question in self.questions if question.answerable and question.gold)

    def units(self, refs: Sequence[str]) -> list[str | None]:
        """What a ranked list of refs counts as; what was seen before takes a place and counts as nothing."""
        session_of = {item.ref: item.session for item in self.items} if self.unit == "session" else {}
        seen: set[str | None] = set()
        ranked: list[str | None] = []
        for ref in refs:
            unit = session_of.get(ref, ref)
            ranked.append(None if unit in seen else unit)
            seen.add(unit)
        return ranked


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """A named list of collections."""

    name: str
    collections: tuple[Collection, ...]

    def limited(self, count: int | None) -> QuestionSet:
        """The same with at most `count` questions in all, taken evenly; items stay whole."""
        total = sum(len(collection.questions) for collection in self.collections)
        if not count or total <= count:
            return self
        step = total / count
        wanted = {int(place * step) for place in range(count)}
        kept: list[Collection] = []
        place = 0
        for collection in self.collections:
            places = range(place, place + len(collection.questions))
            chosen = tuple(
                question for at, question in zip(places, collection.questions, strict=True) if at in wanted
            )
            place += len(collection.questions)
            kept.append(replace(collection, questions=chosen))
        return QuestionSet(self.name, tuple(kept))
