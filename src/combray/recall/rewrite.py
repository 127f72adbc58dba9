"""Keywords, entities and subject of the query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from combray.language.entities import extract
from combray.language.questions import read
from combray.language.tokens import query_terms
from combray.recall.state import Recalling
from combray.runtime import Runtime


@dataclass(frozen=True)
class ReadQuery:
    """Extracts keywords (stemmed, without stop and question words) and the entities that the query names."""

    needs: ClassVar[tuple[str, ...]] = ("query",)
    gives: ClassVar[tuple[str, ...]] = ("terms", "entities")
    most_terms: int = 32
    """Distinct terms a query may use: a pasted page must not cost a thousand index look-ups."""

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        state.terms = tuple(query_terms(state.query)[: self.most_terms])
        candidates = [_bare(word) for word in state.query.split()]
        known = state.reader.known_entities(candidates[: self.most_terms])
        found = dict.fromkeys((*extract(state.query, known), *(word for word in candidates if word in known)))
        state.entities = tuple(found)
        return state


def _bare(word: str) -> str:
    """A word without punctuation around it and without the possessive."""
    return word.strip(".,;:!?\"'()[]？！。，").removesuffix("'s").removesuffix("’s")


@dataclass(frozen=True)
class ReadQuestion:
    """Reads whom the query is about and what it asks for, and its keywords without names of known authors."""

    needs: ClassVar[tuple[str, ...]] = ("query",)
    gives: ClassVar[tuple[str, ...]] = ("question", "terms")
    most_terms: int = 32
    """As of `ReadQuery`."""

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        state.question = read(state.query, state.reader.profile().authors)
        terms = query_terms(state.question.bare) if state.question.bare else []
        state.terms = tuple((terms or query_terms(state.query))[: self.most_terms])
        return state
