"""What makes a later text look like a new value of an earlier one: shared words, other values, cues of a change.

Similarity alone proposes the wrong pairs: texts that hold side by side are as similar as texts that replace one
another. The features here are counts over sets of words; `scoring.revisions` weighs them. Words are data
(`revisions.json` of a language).
"""

from __future__ import annotations

import functools
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise

import msgspec

from combray.language.caches import from_tables, keyed_by_text
from combray.language.claim_tokens import vocabulary
from combray.language.entities import capitalised_words
from combray.language.lexicon import folded
from combray.language.polarity import changes, negations, opposites_of
from combray.language.tables import phrase_lists
from combray.language.tense import Claim
from combray.language.tokens import Reading

_listed = phrase_lists("revisions", "kin changed ended again other besides")
_DIGIT = re.compile(r"\d")
_LONGEST = 400
"""Words of a text that are compared: a longer text is a document, and nothing in its end revises a statement."""


class Said(msgspec.Struct, frozen=True):
    """A text as sets of words. `terms` are content terms; `pairs` neighbouring terms, stop words included."""

    order: tuple[str, ...]
    words: frozenset[str]
    terms: frozenset[str]
    pairs: frozenset[tuple[str, str]]
    numbers: frozenset[str]
    dates: frozenset[str]
    capitals: frozenset[str]
    names: frozenset[str]
    kin: frozenset[str]
    persons: frozenset[str]


@from_tables
def _kin(plain_ascii: bool) -> frozenset[str]:
    """Without its accents "mẹ", a mother, would be "me": a text in ASCII is compared with words in ASCII only."""
    return frozenset(folded(word for word in _listed("kin") if word.isascii() or not plain_ascii))


@from_tables
def _calendar() -> frozenset[str]:
    return frozenset(folded(vocabulary().calendar))


@from_tables
def _numerals() -> frozenset[str]:
    return frozenset(folded(vocabulary().numbers))


@from_tables
def _person_of() -> dict[str, str]:
    found = {}
    for word, person in vocabulary().pronouns.items():
        for each in folded([word]):
            found[each] = person.partition(":")[2]
    return found


@keyed_by_text
@functools.lru_cache(maxsize=8_192)
def said(text: str) -> Said:
    """Return the sets of words of a text. Never raises."""
    reading = Reading(text)
    words = reading.words[:_LONGEST]
    order = tuple(reading.terms()[:_LONGEST])
    distinct = frozenset(words)
    persons = _person_of()
    capitals, names = capitalised_words(text)
    return Said(
        order=order,
        words=distinct,
        terms=frozenset(reading.content_terms()[:_LONGEST]),
        pairs=frozenset(pairwise(order)),
        numbers=frozenset(word for word in distinct if _DIGIT.search(word)) | (distinct & _numerals()),
        dates=distinct & _calendar(),
        capitals=capitals,
        names=names,
        kin=distinct & _kin(text.isascii()),
        persons=frozenset(persons[word] for word in distinct & persons.keys()),
    )


@from_tables
def _cue(kind: str) -> tuple[frozenset[str], tuple[str, ...]]:
    listed = folded(_listed(kind))
    return frozenset(each for each in listed if " " not in each and each.isascii()), tuple(
        f" {each} " if each.isascii() else each for each in listed if " " in each or not each.isascii()
    )


def _has(kind: str, words: frozenset[str], padded: str) -> bool:
    single, phrases = _cue(kind)
    return not single.isdisjoint(words) or any(phrase in padded for phrase in phrases)


OF_TEXT = (
    "changes", "changed", "ended", "again", "other", "besides", "retracts", "corrects", "adds", "planned",
    "negated", "numbers", "dates", "names", "kin", "first person", "third person",
)  # fmt: skip
"""Names of the features of the later text alone, in the order of `text_features`."""


def text_features(text: str, claim: Claim) -> list[float]:
    """Return the features of a later text alone."""
    new = said(text)
    reading = Reading(text)
    padded = f" {' '.join(reading.words)} " if text.isascii() else f" {reading.folded} "
    cues = [float(_has(kind, new.words, padded)) for kind in ("changed", "ended", "again", "other", "besides")]
    return [
        float(bool(changes(text))),
        *cues,
        float(claim.retracts),
        float(claim.corrects),
        float(claim.adds),
        float(claim.tense == "planned"),
        float(bool(negations(text))),
        float(min(len(new.numbers), 3)),
        float(min(len(new.dates), 3)),
        float(min(len(new.names), 3)),
        float(bool(new.kin)),
        float("i" in new.persons or "we" in new.persons),
        float(bool(new.persons & {"he", "she", "they"})),
    ]


OF_PAIR = (
    "of new", "of old", "weighted", "weighted of old", "rarest", "shared", "pairs", "prefix", "all words",
    "number differs", "number same", "number left", "date differs", "date same", "name same", "name differs",
    "name only new", "name only old", "kin same", "kin differs", "kin only new", "kin only old", "person same",
    "person differs", "opposite", "old numbers", "old dates",
)  # fmt: skip
"""Names of the features of a pair, in the order of `pair_features`."""


def rarity(texts: Sequence[Said]) -> dict[str, float]:
    """Return the idf of each term among a few texts, about 0-1: the candidates stand for the whole store."""
    counts: Counter[str] = Counter()
    for each in texts:
        counts.update(each.terms)
    size = len(texts) + 1.0
    whole = math.log(size) or 1.0
    return {term: math.log(size / count) / whole + 0.05 for term, count in counts.items()}


def pair_features(new: Said, old: Said, idf: Mapping[str, float], against: frozenset[str]) -> list[float]:
    """Return the features of a later and an earlier text.

    `idf` has every term of both (`rarity`), `against` the words that exclude a word of the later one.
    """
    common = new.terms & old.terms
    weights = [idf[term] for term in common]
    weight = sum(weights)
    of_new, of_old = (sum([idf[term] for term in side.terms]) or 1.0 for side in (new, old))
    fewer = max(min(len(new.terms), len(old.terms)), 1)
    shortest = max(min(len(new.order), len(old.order)), 1)
    words = len(new.words & old.words)
    shares_person = not new.persons.isdisjoint(old.persons)
    shares_kin, shares_name = not new.kin.isdisjoint(old.kin), not new.capitals.isdisjoint(old.capitals)
    return [
        weight / of_new,
        len(common) / max(len(old.terms), 1),
        weight / max(of_new + of_old - weight, 1e-9),
        weight / of_old,
        max(weights, default=0.0),
        min(len(common), 6) / math.sqrt(fewer),
        len(new.pairs & old.pairs) / max(min(len(new.pairs), len(old.pairs)), 1),
        _shared_front(new.order, old.order) / shortest,
        words / max(len(new.words) + len(old.words) - words, 1),
        *_values(new.numbers, old.numbers),
        not old.numbers <= new.numbers,
        *_values(new.dates, old.dates),
        shares_name,
        bool(new.names and old.names) and not shares_name,
        not new.names <= old.words,
        not old.names <= new.words,
        shares_kin,
        bool(new.kin and old.kin) and not shares_kin,
        bool(new.kin) and not old.kin,
        bool(old.kin) and not new.kin,
        shares_person,
        bool(new.persons and old.persons) and not shares_person,
        not against.isdisjoint(old.words),
        bool(old.numbers),
        bool(old.dates),
    ]


def opposites(new: Said) -> frozenset[str]:
    """Return the words that exclude a word of the text."""
    return opposites_of(new.words)


def _values(new: frozenset[str], old: frozenset[str]) -> tuple[bool, bool]:
    """Return whether both hold values of a type and none is shared, and whether one is."""
    shared = not new.isdisjoint(old)
    return bool(new and old) and not shared, shared


def _shared_front(new: tuple[str, ...], old: tuple[str, ...]) -> int:
    count = 0
    for one, other in zip(new, old, strict=False):
        if one != other:
            break
        count += 1
    return count
