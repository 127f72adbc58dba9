"""Alignment of the concepts of two statements: equal, of one meaning, opposite, or values of one class."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import takewhile
from typing import NamedTuple

from combray.language.meanings import Concept, Meaning, taken_apart

_DERIVED = 5
"""Letters at the start that two words of one stem share: "allergy", "allergic"."""
_PREFIXES = frozenset(("un", "in", "im", "il", "ir", "dis", "non", "non-"))
_SIZES = sorted(set(map(len, _PREFIXES)))
_SHORTEST = 4
"""Letters of a word that a prefix turns into its opposite."""


class Aligned(NamedTuple):
    """Concepts of two statements: common ones, opposites, other values of a class, the rest, and negations."""

    common: list[tuple[Concept, Concept]]
    broader: int
    """How many of the common ones only cover each other ("man", "person")."""
    opposites: list[tuple[Concept, Concept]]
    values: list[tuple[Concept, Concept]]
    left: tuple[list[Concept], list[Concept]]
    negations: tuple[list[Concept], list[Concept]]


def align(mine: Meaning, theirs: Meaning) -> Aligned:
    """Return how the concepts of an old and a new statement match.

    A phrase that the other statement only has in parts is taken apart: "eats meat", "does not eat any meat".
    """
    found = _align(mine, theirs)
    if not any(each.last > each.first for side in found.left for each in side):
        return found
    parts = (
        taken_apart(mine, found.left[0], theirs.topics),
        taken_apart(theirs, found.left[1], mine.topics),
    )
    if parts[0] is mine and parts[1] is theirs:
        return found
    again = _align(*parts)
    return again if sum(map(len, again.left)) < sum(map(len, found.left)) else found


def _align(mine: Meaning, theirs: Meaning) -> Aligned:
    left = [[each for each in text.concepts if not each.phrase.light] for text in (mine, theirs)]
    light = [[each for each in text.concepts if each.phrase.light] for text in (mine, theirs)]
    negations = [list(mine.negations), list(theirs.negations)]
    common: list[tuple[Concept, Concept]] = []
    broader = 0
    for marks in (_key, _groups):
        common += _take(left[0], left[1], marks)
    for marks in (_key, _groups):
        _take(negations[0], negations[1], marks)
    # Words that negate may also be opposites: "always", "never".
    _take(light[0], light[1], _key)
    every = [left[0] + negations[0] + light[0], left[1] + negations[1] + light[1]]
    opposites = _take(every[0], every[1], _sides, _other_sides)
    left = [[each for each in side if not (each.phrase.negates or each.phrase.light)] for side in every]
    negations = [[each for each in side if each.phrase.negates] for side in every]
    values = _take(left[0], left[1], _classes)
    more = _take(left[0], left[1], _width, _other_width)
    broader = len(more)
    common += more
    return Aligned(common, broader, opposites, values, (left[0], left[1]), (negations[0], negations[1]))


Marks = Iterable[tuple[str, str | int]]


def _take(
    one: list[Concept],
    other: list[Concept],
    marks: Callable[[Concept], Marks],
    other_marks: Callable[[Concept], Marks] | None = None,
) -> list[tuple[Concept, Concept]]:
    """Take the pairs with a common mark out of both lists, in order."""
    if not one or not other:
        return []
    places: dict[tuple[str, str | int], list[int]] = {}
    for place, candidate in enumerate(other):
        for mark in (other_marks or marks)(candidate):
            places.setdefault(mark, []).append(place)
    if not places:
        return []
    gone: set[int] = set()
    taken, left = [], []
    for concept in one:
        there = (place for mark in marks(concept) for place in places.get(mark, ()) if place not in gone)
        first = min(there, default=None)
        if first is None:
            left.append(concept)
        else:
            gone.add(first)
            taken.append((concept, other[first]))
    if taken:
        one[:] = left
        other[:] = [each for place, each in enumerate(other) if place not in gone]
    return taken


def _key(concept: Concept) -> Marks:
    return (("key", concept.phrase.key),)


def _groups(concept: Concept) -> Marks:
    return [("group", each) for each in concept.phrase.groups]


def _sides(concept: Concept) -> Marks:
    """The sides of an opposition on which a word is, and what it is with or without a negative prefix."""
    phrase = concept.phrase
    found: list[tuple[str, str | int]] = [("one", each) for each in phrase.one_side]
    found += [("other", each) for each in phrase.other_side]
    return [*found, ("short", phrase.key), *(("long", base) for base in _bases(phrase.key))]


def _other_sides(concept: Concept) -> Marks:
    phrase = concept.phrase
    found: list[tuple[str, str | int]] = [("other", each) for each in phrase.one_side]
    found += [("one", each) for each in phrase.other_side]
    return [*found, ("long", phrase.key), *(("short", base) for base in _bases(phrase.key))]


def _bases(key: str) -> list[str]:
    """Return the words of four letters or more that a word negates by a prefix."""
    return [key[size:] for size in _SIZES if len(key) - size >= _SHORTEST and key[:size] in _PREFIXES]


def _classes(concept: Concept) -> Marks:
    return [("class", each) for each in concept.phrase.classes]


def _width(concept: Concept) -> Marks:
    phrase = concept.phrase
    return [("top", each) for each in phrase.covers] + [("under", each) for each in phrase.covered]


def _other_width(concept: Concept) -> Marks:
    phrase = concept.phrase
    return [("under", each) for each in phrase.covers] + [("top", each) for each in phrase.covered]


def with_derived(found: Aligned) -> Aligned:
    """Match what is left by its stem: "weighs", "weight"."""
    left = list(found.left[0]), list(found.left[1])
    derived = _of_one_stem(*left)
    if not derived:
        return found
    return found._replace(common=found.common + derived, left=left)


def _of_one_stem(one: list[Concept], other: list[Concept]) -> list[tuple[Concept, Concept]]:
    taken = []
    for concept in list(one):
        candidate = next((each for each in other if _derived(concept, each)), None)
        if candidate is not None:
            taken.append((concept, candidate))
            one.remove(concept)
            other.remove(candidate)
    return taken


def _derived(one: Concept, other: Concept) -> bool:
    a, b = one.key, other.key
    if a.isalpha() and b.isalpha() and f"{min(a, b, key=len)}s" == max(a, b, key=len):
        return True  # the genitive of a name: "Annas Rad", "das Rad von Anna"
    if one.name or other.name or one.phrase.classes or other.phrase.classes or not (a.isalpha() and b.isalpha()):
        return False
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(a, b, strict=False)))
    return shared >= _DERIVED and shared >= min(len(a), len(b)) - 1
