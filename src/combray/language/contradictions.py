"""Contradictions of two short statements: one is denied, has an opposite, or another value of one property."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from combray.language.alignment import Aligned
from combray.language.folding import is_unspaced
from combray.language.meaning_tables import NUMBER, Lexicon
from combray.language.meanings import Concept, Meaning
from combray.language.roles import goes_another_way, is_attributive, is_passive, is_swapped, leads

Kind = Literal["restates", "contradicts"]
_MOST_LEFT = 3
"""Concepts that one side of a contradiction may add."""
_FEWEST_COMMON = 2
"""Concepts that two statements share, if words beside an opposite are exchanged too."""
_LONGEST_VALUE = 8
"""Characters of a value in a script without spaces."""


class Related(NamedTuple):
    """A relation and the reason for it, in words."""

    kind: Kind
    reason: str
    of_value: bool = False
    """Whether they give two values of one property."""
    score: float = 1.0
    """How probable it is: 1 where the tables say it and nothing is left."""


RESTATED = Related("restates", "the same in other words")


def denial(mine: Meaning, theirs: Meaning, found: Aligned, known: Lexicon) -> Related | None:
    """One opposite or one negation, and else the same: at least one side says nothing more."""
    if not found.common or goes_another_way(mine, theirs, found, known):
        return None
    if any(NUMBER in each.phrase.classes for each in found.left[0]) and any(
        NUMBER in each.phrase.classes for each in found.left[1]
    ):
        return None
    if found.opposites:
        one, other = found.opposites[0]
        anywhere = one.phrase.anywhere or other.phrase.anywhere or _are_scenes(mine, theirs, known)
        if not anywhere and (one.phrase.kin or (leads(one, mine) and leads(other, theirs))):
            return None
        if not anywhere and (is_attributive(one, mine, known) or is_attributive(other, theirs, known)):
            return None
        if one.phrase.converse and other.phrase.converse and is_swapped(found):
            return RESTATED
        left = _said(found)
        if _ahead(left[0], one, mine) or _ahead(left[1], other, theirs):
            return None
        if min(map(len, left)) == 0 and max(map(len, left)) <= _MOST_LEFT:
            return Related("contradicts", f"{_spelt(one, mine)} against {_spelt(other, theirs)}")
        return None
    # What is denied must be all that the other says, or less: "I like rain" and "not rain in March" agree.
    place = 0 if len(found.negations[0]) > len(found.negations[1]) else 1
    if found.left[place] or len(found.left[1 - place]) > _MOST_LEFT:
        return None
    found = _without_agent(mine, theirs, found, known, place)
    negation = found.negations[place][-1]
    if any(not _movable(each) for each in found.left[1 - place]):
        return None
    first = min((pair[1 - place] for pair in found.common), key=lambda each: each.first)
    if _ahead(found.left[1 - place], first, (theirs, mine)[place]):
        return None
    if len(found.left[1 - place]) > len(found.common) or not _enough(found, (mine, theirs)[place]):
        return None
    return Related("contradicts", f"one is denied ({_spelt(negation, (mine, theirs)[place])})")


def _said(found: Aligned) -> tuple[list[Concept], list[Concept]]:
    """Return what each side has of its own, but words beside an opposite that decide nothing: "stays open"."""
    if not all(found.left) or len(found.common) < _FEWEST_COMMON:
        return found.left
    one, other = ([each for each in side if each.name or not each.phrase.beside] for side in found.left)
    return one, other


def _without_agent(mine: Meaning, theirs: Meaning, found: Aligned, known: Lexicon, denied: int) -> Aligned:
    """Drop who did it from what is left, where the denial is passive: "Ana did it", "It has not been done"."""
    told, denial = (theirs, mine) if denied == 0 else (mine, theirs)
    for pair in found.common:
        verb = pair[1 - denied]
        if is_passive(pair[denied], denial, known) and not is_passive(verb, told, known):
            behind = [each for each in found.left[1 - denied] if each.first > verb.first]
            sides = (found.left[0], behind) if denied == 0 else (behind, found.left[1])
            return found._replace(left=sides)
    return found


def _movable(concept: Concept) -> bool:
    """Return whether a statement can have the concept in addition and still be about the same."""
    return not (concept.phrase.kin or concept.name)


def _ahead(left: Sequence[Concept], of: Concept, text: Meaning) -> bool:
    """Return whether a text says of something else: what only it has stands in front of what is compared.

    An attribute of what follows may stand there, but no relative: "Mia", "Mia's sister".
    """
    starts = {each.first for each in text.concepts}
    return any(
        each.last < of.first - 1
        and (
            each.phrase.kin
            or (each.last + 1 not in starts and not is_unspaced(each.key))
            or not (each.phrase.classes or each.phrase.one_side or each.phrase.other_side)
        )
        for each in left
    )


def _is_scene(text: Meaning, known: Lexicon) -> bool:
    """Return whether a text describes a scene ("A man …", "Two dogs …"): what it says of it holds at one time."""
    first = text.units[0]
    opening = text.concepts[0]
    if first in known.indefinite or (NUMBER in opening.phrase.classes and opening.first == 0):
        return True
    going_on = any(
        unit in known.copulas and any(each.endswith("ing") for each in text.units[place + 1 : place + 3])
        for place, unit in enumerate(text.units)
    )
    return going_on and not text.persons


def _are_scenes(mine: Meaning, theirs: Meaning, known: Lexicon) -> bool:
    return _is_scene(mine, known) and _is_scene(theirs, known)


def _enough(found: Aligned, text: Meaning) -> bool:
    """Return whether the common concepts are a statement: in an unspaced script one character is not."""
    size = sum(each[0].last - each[0].first + 1 for each in found.common)
    return size >= (3 if is_unspaced(text.units[0]) else 2) or (size >= 1 and bool(text.persons))


def other_value(mine: Meaning, theirs: Meaning, found: Aligned, known: Lexicon) -> Related | None:
    """Another value of the same property, and nothing else differs."""
    if len(found.values) > 2 or not found.common or found.broader:
        return None
    for place, left in enumerate(found.left):
        # "dark green": a word right before the value belongs to it.
        if any(each.last + 1 != found.values[0][place].first for each in left):
            return None
    scene = _are_scenes(mine, theirs, known)
    for one, other in found.values:
        if _numbers_subject(one, mine, known) and _numbers_subject(other, theirs, known):
            return None
        shared = one.phrase.classes & other.phrase.classes
        if NUMBER not in shared and any(each.phrase.classes & shared for each in mine.concepts if each != one):
            return None  # one of a list
        if scene:
            continue
        if is_attributive(one, mine, known) or is_attributive(other, theirs, known):
            return None
        if all(_after_functional(each, text) for each, text in ((one, mine), (other, theirs))):
            continue
        if NUMBER in shared and _count_the_same(one, other, mine, theirs):
            continue
        if not shared & known.single or (one.first == 0 and other.first == 0):
            return None
        if shared & known.of_time and not known.indefinite.isdisjoint(mine.units):
            return None  # one of several: "a meeting at three"
        if NUMBER not in shared and not _is_said_of(one, mine, known):
            return None
    one, other = found.values[0]
    return Related("contradicts", f"another value: {_spelt(one, mine)}, {_spelt(other, theirs)}", of_value=True)


def _count_the_same(one: Concept, other: Concept, mine: Meaning, theirs: Meaning) -> bool:
    """Return whether two numbers count the same thing: "has nine people". A number behind a noun is its name."""
    counted = []
    for value, text in ((one, mine), (other, theirs)):
        before = next((each for each in text.concepts if each.last == value.first - 1), None)
        behind = next((each for each in text.concepts if each.first == value.last + 1), None)
        named = before is not None and not (before.phrase.light or before.phrase.faint or before.phrase.beside)
        if value.first == 0 or named or behind is None or behind.phrase.classes or behind.phrase.light:
            return False
        counted.append(behind.phrase)
    same = counted[0].key == counted[1].key or not counted[0].groups.isdisjoint(counted[1].groups)
    return same and not is_unspaced(mine.units[0])


def _numbers_subject(value: Concept, text: Meaning, known: Lexicon) -> bool:
    """Return whether a number says which of several is the subject: "table four ordered", "room 12 is"."""
    behind = text.units[value.last + 1 : value.last + 2]
    said = bool(behind) and (behind[0] in known.copulas or (known.code == "en" and behind[0].endswith("ed")))
    before = [each for each in text.concepts if each.last < value.first]
    counts = NUMBER in value.phrase.classes
    return counts and said and len(before) == 1 and before[0].last == value.first - 1


def _is_said_of(value: Concept, text: Meaning, known: Lexicon) -> bool:
    """Return whether a value stands behind a copula: "the wall is white". Without spaces it ends the text."""
    if text.language in ("zh", "vi"):
        return value.last >= len(text.units) - 2
    return not known.copulas.isdisjoint(text.units[max(0, value.first - 4) : value.first])


def _after_functional(value: Concept, text: Meaning) -> bool:
    return any(0 <= value.first - place <= 2 for place in text.functional)


def functional_value(mine: Meaning, theirs: Meaning, found: Aligned) -> Related | None:
    """Two unknown words behind "lives in", "is called" and the like, and nothing else differs."""
    (one, other), common = found.left, found.common
    if not (one and other and common) or found.broader:
        return None
    for left, text in ((one, mine), (other, theirs)):
        if is_unspaced(text.units[0]):
            if not _ends(left, text):
                return None
            continue
        if len(left) > 2 or not _after_functional(left[0], text) or any(each.phrase.kin for each in left):
            return None
        if left[-1].first - left[0].last > 1 and len(left) > 1:
            return None
    if _functional_phrases(mine) != _functional_phrases(theirs):
        return None
    return Related(
        "contradicts", f"another value: {_spelt(one[0], mine)}, {_spelt(other[0], theirs)}", of_value=True
    )


def _ends(left: Sequence[Concept], text: Meaning) -> bool:
    """Return whether what is left is all that stands behind a functional phrase, in a script without spaces."""
    if left[0].first not in text.functional or any(each.phrase.kin for each in left):
        return False
    behind = [each for each in text.concepts if each.first >= left[0].first and not each.phrase.light]
    return len(behind) == len(left) and behind[-1].last - behind[0].first < _LONGEST_VALUE


def _functional_phrases(text: Meaning) -> set[str]:
    return {text.units[place - 1] for place in text.functional}


def _spelt(concept: Concept, text: Meaning) -> str:
    gap = "" if is_unspaced(text.units[concept.first]) else " "
    return gap.join(text.units[concept.first : concept.last + 1])
