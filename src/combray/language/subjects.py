"""The subject of a statement: the words before its first verb, and the owners it names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from combray.language.claim_tokens import Token, vocabulary

# A subject longer than this is a sentence whose verb the table does not know.
_MAX_SUBJECT = 12
_FIRST_PERSON = (":i", ":we")
"""Endings of the keys of pronouns, after the language."""


class Subject(NamedTuple):
    """The subject's keys in order; none if the statement omits it ("Chose SQLite").

    owners: owners of something, as keys of names or persons ("en:i"); definite: it is something known ("our
    cache"); indefinite: it is something new ("a man", "there is").
    """

    keys: tuple[str, ...]
    owners: frozenset[str]
    definite: bool
    indefinite: bool

    def fits(self, other: Subject) -> bool:
        """Return whether two statements can be about the same: equal subjects and owners, or an omitted "we"."""
        if self.owners != other.owners:
            return False
        if self.keys == other.keys:
            return True
        return all(
            not subject.keys or (len(subject.keys) == 1 and subject.keys[0].endswith(_FIRST_PERSON))
            for subject in (self, other)
        )


def subject_of(tokens: Sequence[Token]) -> Subject:
    """Return the subject of a statement: a conservative guess by the table of frequent verbs."""
    known = vocabulary()
    end = next((place for place, token in enumerate(tokens[:_MAX_SUBJECT]) if token.is_verb), None)
    if end is None:
        # Without a known verb: the names or the pronoun that the statement begins with.
        starts = (token.capital or token.word in known.pronouns for token in tokens)
        end = next((place for place, named in enumerate(starts) if not named), len(tokens))
    head = tokens[:end]
    dropped = (known.neutral, known.definite, known.indefinite, known.adverbs)
    keys = tuple(
        known.pronouns.get(token.word, token.key)
        for token in head
        if token.kind != "date"
        and (token.word in known.pronouns or not any(token.word in each for each in dropped))
    )
    opening = {token.word for token in head}
    return Subject(
        keys=keys,
        owners=_owners(tokens),
        definite=bool(opening & (known.definite | known.owner_before)),
        indefinite=bool(opening & known.indefinite),
    )


def _owners(tokens: Sequence[Token]) -> frozenset[str]:
    known = vocabulary()
    found = set()
    for place, token in enumerate(tokens):
        owner = None
        if token.word in known.owner_before and place:
            owner = tokens[place - 1]
        elif token.word in known.owner_after and place + 1 < len(tokens):
            owner = tokens[place + 1]
        elif token.word in known.definite and token.word in known.pronouns:
            owner = token
        if owner is not None:
            found.add(known.pronouns.get(owner.word, owner.key))
    return frozenset(found)
