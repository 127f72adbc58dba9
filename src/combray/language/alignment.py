"""Alignment of the concepts of two statements: equal, of one meaning, opposite, or values of one class."""

from __future__ import annotations

from collections.abc import Callable
from itertools import takewhile
from typing import NamedTuple

from combray.language.meanings import Concept, Said

_DERIVED = 5
"""Letters at the start that two words of one stem share: "allergy", "allergic"."""
_PREFIXES = frozenset(("un", "in", "im", "il", "ir", "dis", "non", "non-"))
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


def align(mine: Said, theirs: Said) -> Aligned:
    """Return how the concepts of an old and a new statement match."""
    left = [[each for each in text.concepts if not each.phrase.light] for text in (mine, theirs)]
    light = [[each for each in text.concepts if each.phrase.light] for text in (mine, theirs)]
    negations = [list(mine.negations), list(theirs.negations)]
    common: list[tuple[Concept, Concept]] = []
    broader = 0
    for matches in (_equal, _same_group):
        common += _take(left[0], left[1], matches)
    for matches in (_equal, _same_group):
        _take(negations[0], negations[1], matches)
    # Words that negate may also be opposites: "always", "never".
    _take(light[0], light[1], _equal)
    every = [left[0] + negations[0] + light[0], left[1] + negations[1] + light[1]]
    opposites = _take(every[0], every[1], _opposite)
    left = [[each for each in side if not (each.phrase.negates or each.phrase.light)] for side in every]
    negations = [[each for each in side if each.phrase.negates] for side in every]
    values = _take(left[0], left[1], _other_of_class)
    more = _take(left[0], left[1], _covers)
    broader = len(more)
    common += more
    return Aligned(common, broader, opposites, values, (left[0], left[1]), (negations[0], negations[1]))


def _take(
    one: list[Concept], other: list[Concept], matches: Callable[[Concept, Concept], bool]
) -> list[tuple[Concept, Concept]]:
    """Take the pairs that match out of both lists, in order."""
    taken = []
    for concept in list(one):
        for candidate in other:
            if matches(concept, candidate):
                taken.append((concept, candidate))
                one.remove(concept)
                other.remove(candidate)
                break
    return taken


def _equal(one: Concept, other: Concept) -> bool:
    return one.key == other.key


def _same_group(one: Concept, other: Concept) -> bool:
    return not one.phrase.groups.isdisjoint(other.phrase.groups)


def _opposite(one: Concept, other: Concept) -> bool:
    a, b = one.phrase, other.phrase
    if a.one_side & b.other_side or a.other_side & b.one_side:
        return True
    long, short = (a.key, b.key) if len(a.key) > len(b.key) else (b.key, a.key)
    return len(short) >= _SHORTEST and long.endswith(short) and long[: -len(short)] in _PREFIXES


def _other_of_class(one: Concept, other: Concept) -> bool:
    return not one.phrase.classes.isdisjoint(other.phrase.classes)


def _covers(one: Concept, other: Concept) -> bool:
    a, b = one.phrase, other.phrase
    return bool(a.covers & b.covered or a.covered & b.covers)


def with_derived(found: Aligned) -> Aligned:
    """Match what is left by its stem: "weighs", "weight"."""
    left = list(found.left[0]), list(found.left[1])
    derived = _take(*left, _derived)
    if not derived:
        return found
    return found._replace(common=found.common + derived, left=left)


def _derived(one: Concept, other: Concept) -> bool:
    a, b = one.key, other.key
    if one.name or other.name or one.phrase.classes or other.phrase.classes or not (a.isalpha() and b.isalpha()):
        return False
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(a, b, strict=False)))
    return shared >= _DERIVED and shared >= min(len(a), len(b)) - 1
