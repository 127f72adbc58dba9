"""Relations of two short statements that are worth a link: the same in other words, or a contradiction.

More is proposed here than `claims.compare` decides: synonyms, opposites, exclusive values and another word order
are looked up in tables (`meanings.json`). What is proposed is linked and reported. It never skips, hides or
replaces a text, so a wrong proposal costs one wrong edge.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

from combray.language.alignment import Aligned, align, with_derived
from combray.language.claim_tokens import vocabulary
from combray.language.folding import is_unspaced
from combray.language.meaning_tables import NUMBER, Lexicon, lexicon
from combray.language.meanings import Concept, Meaning, both_said
from combray.language.polarity import changes
from combray.language.roles import is_passive, is_swapped, same_roles
from combray.language.tense import tense_of
from combray.language.text import Text, read_once

Kind = Literal["restates", "contradicts"]
_MOST_UNITS = 40
"""Words of a statement up to which its concepts are aligned. A longer text says more than one thing."""
_MOST_LEFT = 3
"""Concepts that one side of a contradiction may add."""
_FEWEST_OF_CLAUSE = 2
_LONGEST_VALUE = 8
"""Characters of a value in a script without spaces."""
_MOST_OWN, _MOST_OWN_UNSPACED = 6, 12
"""Concepts of one statement that the other has in no form: more than a relation ever has."""
_MOST_FAINT = 2
"""Words like "use" that a restatement may add."""


_UNSAID = frozenset(("hypothetical", "quoted", "asked"))
"""Tenses of what a text does not state."""
_AHEAD = frozenset(("present", "planned"))
_WAS, _IS = frozenset(("was", "were")), frozenset(("is", "are", "am"))


class Related(NamedTuple):
    """A relation and the reason for it, in words."""

    kind: Kind
    reason: str
    of_value: bool = False
    """Whether they give two values of one property."""


@read_once
def _tense(text: Text) -> str:
    return tense_of(text.text)


def relation(old: str, new: str) -> Related | None:
    """Return how a new statement relates to an old one; None if the tables say nothing. Never raises."""
    mine, theirs = both_said(old, new)
    if mine is None or theirs is None or mine.language != theirs.language:
        return None
    known = lexicon(mine.language)
    if known is None or max(len(mine.units), len(theirs.units)) > _MOST_UNITS:
        return None
    if not mine.concepts or not theirs.concepts:
        return None
    if mine.topics.isdisjoint(theirs.topics) or not _may_relate(mine, theirs):
        return None
    found = _compared(mine, theirs, known)
    if found is None and theirs.breaks and not mine.breaks:
        clauses = (_compared(mine, clause, known) for clause in _clauses(theirs))
        found = next((each for each in clauses if each is not None and each.kind == "contradicts"), None)
    if found is None or not _of_one_time(old, new, found, mine, theirs):
        return None
    return found


def _of_one_time(old: str, new: str, found: Related, mine: Meaning, theirs: Meaning) -> bool:
    """Return whether both statements are about the same time, so that the relation says something."""
    tenses = {_tense(old), _tense(new)}
    if found.kind == "restates":
        if set(changes(old)) != set(changes(new)):
            return False
        # "My mother turns 70 in November", "she will be 70".
        return len(tenses) == 1 and not tenses & _UNSAID or (tenses == _AHEAD and _dated(mine, theirs))
    if changes(old) or changes(new) or len(tenses) > 1:
        return False
    # What had another value then may have had both.
    return tenses == {"present"} or (tenses == {"past"} and not found.of_value)


def _dated(*texts: Meaning) -> bool:
    """Return whether the texts name the same day or month."""
    known = lexicon(texts[0].language)
    named = (
        {each.key for each in text.concepts if known and each.phrase.classes & known.of_time} for text in texts
    )
    return bool(frozenset.intersection(*map(frozenset, named)))


def _may_relate(mine: Meaning, theirs: Meaning) -> bool:
    """Return whether few enough concepts of a statement are its own. Cheap: most near texts are not related."""
    most = _MOST_OWN_UNSPACED if is_unspaced(mine.units[0]) else _MOST_OWN
    # Of a new text one clause may be compared.
    compared = ((mine, theirs),) if theirs.breaks else ((mine, theirs), (theirs, mine))
    return all(_own(text, other.topics) <= most for text, other in compared)


def _own(text: Meaning, topics: frozenset[str | int]) -> int:
    return sum(
        each.key not in topics and each.phrase.groups.isdisjoint(topics)
        for each in text.concepts
        if not each.phrase.light
    )


def _clauses(text: Meaning) -> list[Meaning]:
    """Return the clauses of a statement, each with its subject: "the API has no OAuth, only keys"."""
    starts = sorted({0, *text.breaks, len(text.units)})
    found = []
    for start, stop in pairwise(starts):
        inside = tuple(each for each in text.concepts if start <= each.first < stop)
        if start and inside:
            inside = (text.concepts[0], *inside)
        denied = tuple(each for each in text.negations if start <= each.first < stop)
        if len(inside) >= _FEWEST_OF_CLAUSE:
            found.append(
                text._replace(units=text.units[:stop], concepts=inside, negations=denied, breaks=frozenset())
            )
    return found


def _compared(mine: Meaning, theirs: Meaning, known: Lexicon) -> Related | None:
    if _other_persons(mine, theirs) or _then_and_today(mine, theirs) or _then_and_today(theirs, mine):
        return None
    found = align(mine, theirs)
    flips = len(found.opposites) + abs(len(found.negations[0]) - len(found.negations[1]))
    if found.values:
        return _other_value(mine, theirs, found, known) if flips == 0 else None
    if flips % 2:
        return _denial(mine, theirs, found, known)
    if flips == 0:
        functional = _functional(mine, theirs, found)
        if functional is not None:
            return functional
    return _restatement(mine, theirs, found, known)


def _then_and_today(one: Meaning, other: Meaning) -> bool:
    """Return whether one says how something was and the other how it is: both can be true."""
    return not _WAS.isdisjoint(one.units) and not _IS.isdisjoint(other.units)


def _other_persons(mine: Meaning, theirs: Meaning) -> bool:
    return bool(mine.persons - theirs.persons and theirs.persons - mine.persons)


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


def _attributive(concept: Concept, text: Meaning, known: Lexicon) -> bool:
    """Return whether a word only says which thing is meant: "the red folder", "my old bike", 蓝色的箱子."""
    after = concept.last + 1
    if after >= len(text.units):
        return False
    if text.language == "zh":
        return text.units[after] == "的"
    if not known.copulas.isdisjoint(text.units[: concept.first]):
        return False
    starts = any(each.first == after for each in text.concepts)
    before = text.units[concept.first - 1] if concept.first else ""
    return starts and (before in known.determiners or (concept.first == 0 and not concept.phrase.anywhere))


def _denial(mine: Meaning, theirs: Meaning, found: Aligned, known: Lexicon) -> Related | None:
    """One opposite or one negation, and else the same: at least one side says nothing more."""
    if not found.common:
        return None
    if any(NUMBER in each.phrase.classes for each in found.left[0]) and any(
        NUMBER in each.phrase.classes for each in found.left[1]
    ):
        return None
    if found.opposites:
        one, other = found.opposites[0]
        anywhere = one.phrase.anywhere or other.phrase.anywhere or _are_scenes(mine, theirs, known)
        if not anywhere and (one.phrase.kin or (_leads(one, mine) and _leads(other, theirs))):
            return None
        if not anywhere and (_attributive(one, mine, known) or _attributive(other, theirs, known)):
            return None
        if one.phrase.converse and other.phrase.converse and is_swapped(found):
            return _RESTATED
        if _ahead(found.left[0], one) or _ahead(found.left[1], other):
            return None
        if min(map(len, found.left)) == 0 and max(map(len, found.left)) <= _MOST_LEFT:
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
    if _ahead(
        found.left[1 - place], min((pair[1 - place] for pair in found.common), key=lambda each: each.first)
    ):
        return None
    if len(found.left[1 - place]) > len(found.common) or not _enough(found, (mine, theirs)[place]):
        return None
    return Related("contradicts", f"one is denied ({_spelt(negation, (mine, theirs)[place])})")


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


def _ahead(left: Sequence[Concept], of: Concept) -> bool:
    """Return whether a text says of something else: what only it has stands in front of what is compared."""
    return any(
        each.last < of.first - 1 and not (each.phrase.classes or each.phrase.one_side or each.phrase.other_side)
        for each in left
    )


def _leads(concept: Concept, text: Meaning) -> bool:
    """Return whether a concept is the subject of its text: nothing but articles stands in front of it."""
    known = vocabulary()
    spoken = any(unit in known.pronouns and unit not in known.definite for unit in text.units[: concept.first])
    return concept == text.concepts[0] and not spoken


def _are_scenes(mine: Meaning, theirs: Meaning, known: Lexicon) -> bool:
    return _is_scene(mine, known) and _is_scene(theirs, known)


def _enough(found: Aligned, text: Meaning) -> bool:
    """Return whether the common concepts are a statement: in an unspaced script one character is not."""
    size = sum(each[0].last - each[0].first + 1 for each in found.common)
    return size >= (3 if is_unspaced(text.units[0]) else 2) or (size >= 1 and bool(text.persons))


def _other_value(mine: Meaning, theirs: Meaning, found: Aligned, known: Lexicon) -> Related | None:
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
        if _attributive(one, mine, known) or _attributive(other, theirs, known):
            return None
        after = all(_after_functional(each, text) for each, text in ((one, mine), (other, theirs)))
        if after:
            continue
        if not shared & known.single or (one.first == 0 and other.first == 0):
            return None
        if shared & known.of_time and not known.indefinite.isdisjoint(mine.units):
            return None  # one of several: "a meeting at three"
        if NUMBER not in shared and not _is_said_of(one, mine, known):
            return None
    one, other = found.values[0]
    return Related("contradicts", f"another value: {_spelt(one, mine)}, {_spelt(other, theirs)}", of_value=True)


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


def _functional(mine: Meaning, theirs: Meaning, found: Aligned) -> Related | None:
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


def _restatement(mine: Meaning, theirs: Meaning, found: Aligned, known: Lexicon) -> Related | None:
    """All concepts of both are common, in the same roles. A statement that says more is another one."""
    found = with_derived(found)
    left = found.left[0] + found.left[1]
    if len(found.common) == found.broader or found.broader > 1:
        return None
    size = sum(each[0].last - each[0].first + 1 for each in found.common)
    if len(left) > _MOST_FAINT or (left and len(found.common) < _FEWEST_OF_CLAUSE):
        return None
    if not all(each.phrase.faint and not each.name for each in left) and not _few_characters(left, size):
        return None
    if found.opposites and not _flips_back(mine, theirs, found, known):
        return None
    if is_unspaced(mine.units[0]) and size < 3:
        return None
    if _hedged(mine, theirs, known) or not same_roles(mine, theirs, found, known):
        return None
    return _RESTATED


def _few_characters(left: Sequence[Concept], size: int) -> bool:
    """Return whether only a piece of a word is left, in a script that is not split into words."""
    weight = sum(each.last - each.first + 1 for each in left)
    return all(is_unspaced(each.key) and not each.phrase.classes for each in left) and weight * 4 <= size


_RESTATED = Related("restates", "the same in other words")


def _flips_back(mine: Meaning, theirs: Meaning, found: Aligned, known: Lexicon) -> bool:
    """Return whether one negation takes back one opposite: "closed", "not open"."""
    (one, other), *more = found.opposites
    if more or _leads(one, mine) or _leads(other, theirs):
        return False
    denied = 0 if found.negations[0] else 1
    concept = (one, other)[denied]
    if not any(0 < concept.first - each.last <= 2 for each in found.negations[denied]):
        return False
    return not (_attributive(one, mine, known) or _attributive(other, theirs, known))


def _hedged(mine: Meaning, theirs: Meaning, known: Lexicon) -> bool:
    """Return whether one of them holds under a condition that the other does not name."""
    return known.hedges.intersection(mine.units) != known.hedges.intersection(theirs.units)


def _spelt(concept: Concept, text: Meaning) -> str:
    gap = "" if is_unspaced(text.units[concept.first]) else " "
    return gap.join(text.units[concept.first : concept.last + 1])
