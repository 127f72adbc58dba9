"""Entities of a text, and warnings about its quality."""

from __future__ import annotations

import msgspec

from combray.forms.remembering import Remembering
from combray.language.entities import extract, names
from combray.language.quality import warnings
from combray.language.questions import ASSISTANTS, USERS
from combray.language.tokens import words
from combray.records import dataclass
from combray.runtime import Runtime


@dataclass(frozen=True)
class Warn:
    """Warns of content that will soon be outdated or can be looked up elsewhere. Nothing is refused."""

    needs = ("drafts",)
    advises = True

    def __call__(self, state: Remembering, _runtime: Runtime) -> Remembering:
        for draft in state.drafts:
            draft.warnings = tuple(warning.message for warning in warnings(draft.memory.content))
        return state


@dataclass(frozen=True)
class ExtractEntities:
    """Collects entities: the caller's, those found by patterns and dictionary, and names known here already."""

    needs = ("drafts",)
    gives = ("entities",)
    advises = True
    max_entities: int = 50
    people: bool = False
    """Also names of people and places: capitalised words inside a sentence; given names and authors anywhere."""

    def __call__(self, state: Remembering, runtime: Runtime) -> Remembering:
        capitals = [_capitalised(draft.memory.content) for draft in state.drafts]
        every = sorted(set().union(*capitals))
        speaking = {draft.memory.author for draft in state.drafts}
        with runtime.store.view(state.namespace) as reader:
            known = reader.known_entities(every) if every else set()
            speaking.update(reader.profile().authors if self.people else ())
        authors = {part for author in speaking if author for part in author.lower().split()} - USERS - ASSISTANTS
        # What earlier texts of the batch name is known to the later ones, as if it were stored already.
        met: set[str] = set()
        for draft, words_here in zip(state.drafts, capitals, strict=True):
            here = {word for word in words_here if word in known or word.casefold() in met}
            found = extract(draft.memory.content, here)
            if self.people:
                found += names(draft.memory.content, authors)
            by_fold = {name.casefold(): name for name in reversed((*draft.memory.entities, *found))}
            ordered = dict.fromkeys(name.casefold() for name in (*draft.memory.entities, *found))
            entities = tuple(by_fold[name] for name in ordered)[: self.max_entities]
            draft.memory = msgspec.structs.replace(draft.memory, entities=entities)
            if not draft.quarantined:
                met.update(name.casefold() for name in entities)
        return state


def _capitalised(text: str) -> set[str]:
    """Words that could be a known entity's name: capitalised, or in a script without capitals."""
    if text.isascii():
        # Most words are in lower case.
        stripped = [part.strip(".,;:!?\"'()[]") for part in text.split() if not part.islower()]
        return {word for word in stripped if word[:1].isupper()}
    return {word for part in text.split() for word in words(part) if len(word) > 1} | {
        word.strip(".,;:!?\"'()[]") for word in text.split() if word[:1].isupper()
    }
