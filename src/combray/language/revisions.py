"""What makes a later text look like a new value of an earlier one: shared words, other values, cues of a change.

Similarity alone proposes the wrong pairs: texts that hold side by side are as similar as texts that replace one
another. The features here are counts over sets of words; `facts.ranker` weighs them. Words are data
(`revisions` of a language).

A topic is what a statement is about: home, diet, a deadline. "I live in Lisbon" and "We moved to Porto" share
no word, but both are about a home. Words are data (`topics` of a language, words by topic); the name of a topic
is the same in every language. A word proves nothing: common topics are a feature, and no statement changes
another by them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, pairwise
from typing import NamedTuple

import msgspec

from combray.language.caches import from_tables
from combray.language.claim_tokens import vocabulary
from combray.language.entities import capitalised_words
from combray.language.folding import plain
from combray.language.lexicon import folded
from combray.language.marks import Lists, Marks
from combray.language.tables import phrase_lists, section
from combray.language.tense import Claim, says_put_off
from combray.language.text import Text, plain_of, plain_runs, plain_words, read_once
from combray.language.tokens import all_terms, content, split, term_set

_listed = phrase_lists("revisions", "changed ended planned")
_LEAST_SHARED, _LONGEST_VALUE = 2, 4
"""Words that one sentence with two values has at least beside them, and words of a value at most."""
_UNSEEN = 5
"""Texts added to the number of candidates: with two texts, a word that both hold would be worth nothing."""
_LONGEST = 400
"""Words of a text that are compared: a longer text is a document, and nothing in its end revises a statement."""


class WordSets(msgspec.Struct, frozen=True, gc=False):
    """A text as sets of words. `terms` are content terms, `order` all terms, stop words included."""

    order: tuple[str, ...]
    words: frozenset[str]
    terms: frozenset[str]
    numbers: frozenset[str]
    dates: frozenset[str]
    capitals: frozenset[str]
    names: frozenset[str]


@from_tables
def _calendar() -> frozenset[str]:
    return frozenset(folded(vocabulary().calendar))


@from_tables
def _numerals() -> frozenset[str]:
    return frozenset(folded(vocabulary().numbers))


@read_once
def said(text: Text) -> WordSets:
    """Return the sets of words of a text. Never raises."""
    order, found = all_terms(text)[:_LONGEST], split(text).words
    # Mostly they are the runs of the text, whose set other rooms need too.
    is_plain = len(found) <= _LONGEST and found is plain_runs(text)
    distinct = plain_words(text) if is_plain else frozenset(found[:_LONGEST])
    capitals, names = capitalised_words(text.text)
    return WordSets(
        order=order,
        words=distinct,
        terms=term_set(text) if len(content(text)) <= _LONGEST else frozenset(content(text)[:_LONGEST]),
        # No digit sorts after ":", so most words are excluded by their first letter.
        numbers=frozenset([word for word in distinct if word < ":"]) | (distinct & _numerals()),
        dates=distinct & _calendar(),
        capitals=capitals,
        names=names,
    )


@from_tables
def _lists() -> Lists:
    return Lists({kind: folded(_listed(kind)) for kind in ("changed", "ended")})


@read_once
def _marks(text: Text) -> Marks:
    """Return the marks of a change and an end in the words of a text."""
    read = split(text)
    return _lists().of(" ".join(read.words) if text.text.isascii() else read.folded, said(text).words)


OF_TEXT = ("changed", "ended", "corrects", "numbers")
"""Names of the features of the later text alone, in the order of `text_features`."""


def text_features(text: str, claim: Claim) -> list[float]:
    """Return the features of a later text alone."""
    new, marks = said(text), _marks(text)
    return [
        marks.has("changed"),
        marks.has("ended"),
        claim.corrects,
        min(len(new.numbers), 3),
    ]


OF_PAIR = (
    "of new", "weighted", "weighted of old", "rarest", "shared", "pairs", "prefix", "all words", "number differs",
    "number same", "date differs", "name same", "name differs", "old numbers",
)  # fmt: skip
"""Names of the features of a pair, in the order of `pair_features`."""


def rarity(texts: Sequence[WordSets]) -> dict[str, float]:
    """Return the idf of each term among a few texts, about 0-1: the candidates stand for the whole store."""
    counts = Counter(chain.from_iterable([each.terms for each in texts]))
    size = float(len(texts) + _UNSEEN)
    whole = math.log(size)
    weights = [math.log(size / count) / whole + 0.05 for count in range(1, len(texts) + 1)]
    return {term: weights[count - 1] for term, count in counts.items()}


class Later(NamedTuple):
    """A later text, as it is compared with several earlier ones."""

    said: WordSets
    idf: Mapping[str, float]
    """Rarity of every term of all these texts (`rarity`)."""
    weight: float
    """Its sum over the later text."""
    pairs: frozenset[tuple[str, str]]
    """Neighbouring terms, stop words included."""


def later(new: WordSets, idf: Mapping[str, float]) -> Later:
    """Return a later text for `pair_features`."""
    return Later(new, idf, weight_of(new.terms, idf), frozenset(pairwise(new.order)))


def pair_features(text: Later, old: WordSets) -> list[float]:
    """Return the features of a later and an earlier text."""
    new = text.said
    shortest = min(len(new.order), len(old.order)) or 1
    words = len(new.words & old.words)
    pairs = len(text.pairs.intersection(pairwise(old.order)))
    shares_name = not new.capitals.isdisjoint(old.capitals)
    return [
        *_overlap(text, old),
        pairs / max(shortest - 1, 1),
        _shared_front(new.order, old.order) / shortest,
        words / max(len(new.words) + len(old.words) - words, 1),
        # Each side holds a value that the other lacks; they share one.
        differ(new.numbers, old.numbers),
        not new.numbers.isdisjoint(old.numbers),
        differ(new.dates, old.dates),
        shares_name,
        not shares_name and bool(new.names and old.names),
        bool(old.numbers),
    ]


def _overlap(text: Later, old: WordSets) -> tuple[float, float, float, float, float]:
    """Return the shares of the common terms' weight, the greatest of their weights, and how many they are."""
    common = text.said.terms & old.terms
    if not common:
        return (0.0, 0.0, 0.0, 0.0, 0.0)
    weights = [text.idf[term] for term in common]
    # Exactly rounded: the order of a set differs between processes.
    weight = math.fsum(weights)
    of_old = weight_of(old.terms, text.idf)
    return (
        weight / text.weight,
        weight / (text.weight + of_old - weight),
        weight / of_old,
        max(weights),
        min(len(common), 6) / math.sqrt(min(len(text.said.terms), len(old.terms))),
    )


def weight_of(terms: Iterable[str], idf: Mapping[str, float]) -> float:
    """Return the sum of the terms' idf; 1 for no terms."""
    return math.fsum([idf[term] for term in terms]) or 1.0


def differ(new: frozenset[str], old: frozenset[str]) -> bool:
    """Return whether each side holds a value that the other lacks ("9:30", "9:15")."""
    return not new <= old and not old <= new


def another_value(new: WordSets, old: WordSets) -> bool:
    """Return whether two texts are one sentence with another value in its end.

    "Standup is at 9:30" and "Standup is at 10:00" differ in the value, "Node 7 is up" and "Node 8 is up" in the
    subject. At least half of the longer text is shared, and more of it stands before the value than behind it. Of
    the shorter text two thirds are shared, unless both values are numbers: "The bakery sells bread" and "The
    bakery takes cards" say two things of one.
    """
    one, two = new.order, old.order
    longest, shortest = max(len(one), len(two)), min(len(one), len(two))
    if not shortest or one[0] != two[0] or longest > 2 * shortest:
        return False
    front = back = 0
    while front < shortest and one[front] == two[front]:
        front += 1
    while back < shortest - front and one[-1 - back] == two[-1 - back]:
        back += 1
    same = front + back
    if not (same < shortest and longest - same <= _LONGEST_VALUE):
        return False
    # "The capital of France is Paris", "... of Spain is Madrid": two values, of two things.
    of_one, of_two = set(one[front : len(one) - back]), set(two[front : len(two) - back])
    numbers = of_one & new.numbers and of_two & old.numbers
    shared = 2 * same >= longest and (numbers or 3 * same >= 2 * shortest)
    return bool(of_one.isdisjoint(of_two) and front > back and same >= _LEAST_SHARED and shared)


def announces_change(text: str) -> bool:
    """Return whether a text says in words that something changed ("moved", "instead", "from now on")."""
    return _marks(text).has("changed")


def only_adds(text: str, claim: Claim) -> bool:
    """Return whether a text says that something holds beside what is known, and names no change.

    "I also speak Finnish" takes nothing back; "the freeze moves by another week" does.
    """
    if not claim.adds or claim.tense != "present" or claim.corrects or claim.retracts:
        return False
    marks = _marks(text)
    return not (marks.has("changed") or marks.has("ended") or says_put_off(text))


@from_tables
def _of_change() -> frozenset[str]:
    """Return the terms of words of change and of the calendar: two plans share them whatever they are about."""
    words = chain.from_iterable(each.split() for each in (*_listed("changed"), *_listed("planned")))
    return frozenset(term for word in (*words, *vocabulary().calendar) for term in all_terms(word))


def share_a_thing(new: str, old: str) -> bool:
    """Return whether two texts share a content word that is no word of change, no date and no number."""
    one, other = said(new), said(old)
    return bool((one.terms & other.terms) - one.numbers - _of_change())


def _shared_front(new: tuple[str, ...], old: tuple[str, ...]) -> int:
    count = 0
    for one, other in zip(new, old, strict=False):
        if one != other:
            break
        count += 1
    return count


_TOPICS_OF = 2000
"""Characters of a text that are looked at."""

_topic_tables = section("topics", dict[str, list[str]])


@from_tables
def _topics() -> tuple[Lists, dict[str, int]]:
    """The words of all topics, and the bit of each."""
    listed: dict[str, list[str]] = {}
    for table in _topic_tables().values():
        for name, phrases in table.items():
            listed.setdefault(name, []).extend(map(plain, phrases))
    return Lists(listed), {name: 1 << place for place, name in enumerate(sorted(listed))}


@read_once
def topics_of(text: Text) -> int:
    """Return the topics of a text, a bit for each. Never raises."""
    lists, bits = _topics()
    if len(text.text) <= _TOPICS_OF:
        marks = lists.of(plain_of(text), plain_words(text))
    else:
        marks = lists.of(plain(text.text[:_TOPICS_OF]))
    return sum([bits[name] for name in marks.possible if marks.has(name)])
