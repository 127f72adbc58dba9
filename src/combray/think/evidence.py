"""A memory prepared for checks: its words, its sentences and clauses, and the dates it names."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from datetime import datetime

from combray.language.caches import keyed_by_text
from combray.language.claim_tokens import tokenise
from combray.language.dates.statements import Dated, days_named
from combray.language.sentences import clauses, sentences
from combray.language.tokens import term_set
from combray.records import dataclass
from combray.types import Memory

_MOST_DATED = 20
"""Maximum sentences of a memory whose dates are resolved: those closest to the checked sentence."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A sentence or clause, and its terms."""

    text: str
    terms: frozenset[str]


@dataclass(frozen=True, slots=True)
class Evidence:
    """One memory, or several combined. `said`: each memory with its sentences; `parts`: sentences and clauses."""

    said: tuple[tuple[Memory, tuple[Clause, ...]], ...]
    parts: tuple[Clause, ...]
    keys: frozenset[str]
    terms: frozenset[str]
    words: str

    @property
    def memories(self) -> list[Memory]:
        """The memories."""
        return [memory for memory, _ in self.said]

    def dates(self, terms: frozenset[str]) -> list[tuple[Memory, list[Dated]]]:
        """Return each memory with the dates in its sentences about the terms."""
        found = []
        for memory, parts in self.said:
            speaking = [part for part in parts if terms & part.terms] or list(parts)
            nearest = sorted(speaking, key=lambda part: -len(terms & part.terms))[:_MOST_DATED]
            found.append(
                (
                    memory,
                    [date for part in nearest for date in _dates(part.text, memory.moment, memory.valid_from)],
                )
            )
        return found


def evidence(memory: Memory) -> Evidence:
    """Prepare one memory."""
    said = tuple(
        Clause(each, term_set(each)) for text in (memory.content, memory.context) for each in sentences(text)
    )
    halves = [Clause(half, term_set(half)) for each in said for half in clauses(each.text) if half != each.text]
    words = "\n".join([memory.content, memory.context, memory.author or "", " ".join(memory.entities)])
    return Evidence(
        said=((memory, said),),
        parts=(*said, *(half for half in halves if len(half.terms) > 1)),
        keys=frozenset(token.key for token in tokenise(words)),
        terms=term_set(memory.author or "").union(*(each.terms for each in said)),
        words=words.casefold(),
    )


def joined(several: Sequence[Evidence]) -> Evidence:
    """Combine several memories."""
    return Evidence(
        said=tuple(each for one in several for each in one.said),
        parts=tuple(each for one in several for each in one.parts),
        keys=frozenset().union(*(one.keys for one in several)),
        terms=frozenset().union(*(one.terms for one in several)),
        words="\n".join(one.words for one in several),
    )


@keyed_by_text
@functools.lru_cache(maxsize=2000)
def _dates(text: str, moment: datetime, begins: datetime | None) -> tuple[Dated, ...]:
    return tuple(days_named(text, moment, begins))
