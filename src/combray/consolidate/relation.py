"""The relation of two facts. Similarity selects pairs; their words decide.

Source: docs/explanation/consolidation.md.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from combray.consolidate.belief import begins
from combray.language.indexing import normalised, same_text
from combray.language.polarity import negations
from combray.language.scopes import scope_set
from combray.language.support import Traits, may_contradict, traits
from combray.language.tense import Tense, tense_of
from combray.language.tokens import content_terms, stem, term_set
from combray.records import dataclass
from combray.types import Memory

if TYPE_CHECKING:
    from combray.language.claims import Comparison

Kind = Literal["same", "replaced", "opposite", "unsure", "apart"]
Pair = tuple[int, int]
_CLAUSES = re.compile(r"[,:;.!?]\s|[，：；。！？].")
_NAME_WORDS = 3
"""Maximum words of a name that replaces another name."""
_DENIED_FROM = 0.75
"""Minimum share of common content terms between a statement and its negation."""
_UNSURE_FROM = 0.5
"""Minimum share of common content terms of an undecided pair. Below, they are two facts."""


@dataclass(frozen=True, slots=True)
class Relation:
    """same: paraphrases. replaced, opposite: the newer contradicts. unsure: for the judge. apart: two facts.

    `reason` may be stored and contains no word of a fact; `detail` is for the reader of a plan.
    """

    kind: Kind
    reason: str = ""
    detail: str = ""


APART = Relation("apart")


def pair(one: int, other: int) -> Pair:
    """Return two keys, the smaller first."""
    return (one, other) if one < other else (other, one)


class Relations:
    """Cached relations of pairs of facts, by their keys."""

    def __init__(self, facts: Mapping[int, Memory]) -> None:
        self._facts = facts
        self.traits: Callable[[int], Traits] = cache(lambda key: traits(facts[key].content))
        self.slot: Callable[[int], FactSlot | None] = cache(lambda key: slot(facts[key]))
        self._tense: Callable[[int], Tense] = cache(lambda key: tense_of(facts[key].content))
        self._relation: Callable[[int, int], Relation] = cache(self._compare)

    def in_order(self, one: int, other: int) -> Pair:
        """Return the pair with the older fact first. Ties go to the one written first."""
        old, new = sorted((one, other), key=lambda key: (begins(self._facts[key]), key))
        return old, new

    def may_contradict(self, one: int, other: int) -> bool:
        """Return whether a comparison of the two can find a contradiction."""
        old, new = self.in_order(one, other)
        return (
            comparable(self._facts[old], self._facts[new])
            and may_contradict(self.traits(old), self.traits(new))
            and self._tense(old) == self._tense(new) == "present"
        )

    def undecided(self, one: int, other: int) -> bool:
        """Return whether nothing in the words of two facts that are near says that they are about two things."""
        return self._alike(one, other) is not None

    def restates(self, one: int, other: int) -> bool:
        """Return whether two near facts differ in their predicate alone: both end with the same value."""
        found = self._alike(one, other)
        if found is None or not (found.same_subject and found.same_polarity) or found.changes:
            return False
        if found.overlap == 1:
            return False  # another form of one verb: "works", "worked"
        texts = [self._facts[key].content for key in (one, other)]
        if any(map(_CLAUSES.search, texts)):
            return False  # a second clause may say more than the predicate
        values = [content_terms(text)[-1:] for text in texts]
        return values[0] == values[1] != [] and len(found.word_substitution) == 1

    def _alike(self, one: int, other: int) -> Comparison | None:
        """Compare two facts. None if they are of two tenses, or their names, numbers, dates or units differ."""
        key, newer = self.in_order(one, other)
        old, new = self._facts[key], self._facts[newer]
        if not comparable(old, new) or self._tense(key) != self._tense(newer):
            return None
        from combray.language.claims import compare

        found = compare(old.content, new.content)
        return None if _elsewhere(found) else found

    def of(self, one: int, other: int) -> Relation:
        """Return the relation of two facts, in any order."""
        return self._relation(*self.in_order(one, other))

    def _compare(self, one: int, other: int) -> Relation:
        """Return the relation of an older and a newer fact."""
        old, new = self._facts[one], self._facts[other]
        if not comparable(old, new):
            return APART
        if same_text(old.content) == same_text(new.content):
            return Relation("same", "the same text")
        tense = self._tense(one)
        if tense != self._tense(other):
            # What was, will be or might be neither repeats nor changes what is.
            return APART
        before_of, after_of = self.slot(one), self.slot(other)
        if tense == "present" and before_of and after_of and before_of[:2] == after_of[:2]:
            values = before_of.value, after_of.value
            before, after = map(term_set, values)
            # "Berlin" and "Berlin, Germany" are one value.
            if not (before <= after or after <= before):
                return Relation("replaced", "another value for the same thing", _spelt((values,)))
        mine, theirs = self.traits(one), self.traits(other)
        shared = len(mine.terms & theirs.terms) / max(len(mine.terms | theirs.terms), 1)
        if shared < (0.2 if theirs.ends else _UNSURE_FROM):
            return APART
        found = _compared(old.content, new.content, shared)
        hedged = found.kind in ("replaced", "opposite") and tense != "present"
        return APART if hedged else found


def comparable(one: Memory, other: Memory) -> bool:
    """Return whether category, author and scope agree, so that two facts may be about the same thing."""
    same = one.category == other.category and (one.author or "") == (other.author or "")
    return same and scope_set(one.tags) == scope_set(other.tags)


class FactSlot(NamedTuple):
    """What a fact gives a value of: subject and single-valued attribute; and the value."""

    subject: str
    attribute: str
    value: str


def slot(fact: Memory) -> FactSlot | None:
    """Return the slot of a fact from its metadata, where a language model wrote it; None if it has none."""
    subject, attribute, value = (fact.metadata.get(name) for name in ("subject", "attribute", "value"))
    if not (isinstance(subject, str) and isinstance(attribute, str) and isinstance(value, str) and value):
        return None
    if fact.metadata.get("single") is not True or negations(fact.content):
        return None
    return FactSlot(normalised(subject), normalised(attribute), value)


def _compared(old: str, new: str, shared: float) -> Relation:
    from combray.language.claims import compare

    found = compare(old, new)
    if found.verdict in ("identical", "paraphrase"):
        return Relation("same", "the same in other words")
    elsewhere = _elsewhere(found)
    if _plainly_replaced(found):
        reason = "says that it changed" if found.changes else "another value for the same thing"
        return Relation("replaced", reason, _spelt(found.word_substitution))
    if _plainly_denied(found) and not elsewhere:
        return Relation("opposite", "one denies the other")
    if found.same_subject and not elsewhere and shared >= _UNSURE_FROM:
        return Relation("unsure", "alike, and not the same")
    if found.verdict == "contradicts" and shared >= _UNSURE_FROM:
        return Relation("unsure", "one denies something, perhaps of something else")
    return APART


def _elsewhere(found: Comparison) -> bool:
    return found.numbers_differ or found.dates_differ or found.names_differ or found.units_differ


def _plainly_replaced(found: Comparison) -> bool:
    """Return whether the only change is a new value of the same property: one word or name for another."""
    if found.verdict != "update" or not (found.same_subject and found.same_polarity):
        return False
    most = _NAME_WORDS if found.names_differ else 1
    pairs = found.word_substitution
    return bool(found.changes) or (len(pairs) == 1 and all(len(side.split()) <= most for side in pairs[0]))


def _plainly_denied(found: Comparison) -> bool:
    """Return whether the only difference is a negation.

    Antonyms alone are for the judge: "up" and "down", "come" and "go" contradict in some sentences only.
    """
    if found.verdict != "contradicts" or not (found.same_subject and found.negation_differs):
        return False
    return (
        not found.antonyms
        and found.overlap >= _DENIED_FROM
        and all(_affirmed(old) == _affirmed(new) for old, new in found.word_substitution)
    )


def _affirmed(side: str) -> set[str]:
    """Return the stems of the words that do not negate."""
    negating = set(negations(side))
    return {stem(word) for word in side.split() if word not in negating}


def _spelt(pairs: tuple[tuple[str, str], ...]) -> str:
    return ", ".join(f"{old} → {new}" for old, new in pairs)
