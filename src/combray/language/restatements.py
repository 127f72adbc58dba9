"""Restatements: whether two short statements say the same in other words.

`restates` needs every concept of both in the tables. For the rest `likelihood` is a logistic model of how much
of each statement the other has, and in which order: its weights (`restatements.json`) were trained by
`python -m bench.pairs --train` on pairs by several authors. Who says the same with other words also builds
another sentence; a sentence of the same build with one word exchanged says something else.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path

import msgspec

from combray.language.alignment import Aligned, with_derived
from combray.language.folding import is_unspaced
from combray.language.given_names import given_names
from combray.language.meaning_tables import NUMBER, Lexicon
from combray.language.meanings import Concept, Meaning
from combray.language.roles import (
    are_exchanged,
    fit_in_voice,
    is_attributive,
    keeps_bare_order,
    keeps_order,
    leads,
    same_roles,
)

_FEWEST_COMMON = 2
"""Concepts that two statements share, if one of them adds any."""
_Beside = tuple[int, int]
_START, _END = -1, -2
_WEIGHTS = Path(__file__).with_name("restatements.json")
_ENOUGH = 6
"""Common words above which more of them prove nothing."""
_MOST_MORE = 1
"""Concepts that a statement may add beside as many as both have."""
_MOST_FAINT = 2
"""Words like "use" that a restatement may add."""


def restates(mine: Meaning, theirs: Meaning, found: Aligned, known: Lexicon) -> bool:
    """Return whether all concepts of both are common, in the same roles: who says more says something else."""
    if abs(len(found.left[0]) - len(found.left[1])) > _MOST_FAINT:
        return False
    found = with_derived(found)
    left = found.left[0] + found.left[1]
    if len(found.common) == found.broader or found.broader > 1:
        return False
    size = sum(each[0].last - each[0].first + 1 for each in found.common)
    if len(left) > _MOST_FAINT or (left and len(found.common) < _FEWEST_COMMON):
        return False
    if not all(each.phrase.faint and not each.name for each in left) and not _few_characters(left, size):
        return False
    if found.opposites and not _flips_back(mine, theirs, found, known):
        return False
    if is_unspaced(mine.units[0]) and size < 3:
        return False
    return not _hedged(mine, theirs, known) and same_roles(mine, theirs, found, known)


def _few_characters(left: Sequence[Concept], size: int) -> bool:
    """Return whether only a piece of a word is left, in a script that is not split into words."""
    weight = sum(each.last - each.first + 1 for each in left)
    return all(is_unspaced(each.key) and not each.phrase.classes for each in left) and weight * 4 <= size


def _flips_back(mine: Meaning, theirs: Meaning, found: Aligned, known: Lexicon) -> bool:
    """Return whether one negation takes back one opposite: "closed", "not open"."""
    (one, other), *more = found.opposites
    if more or leads(one, mine) or leads(other, theirs):
        return False
    denied = 0 if found.negations[0] else 1
    concept = (one, other)[denied]
    if not any(0 < concept.first - each.last <= 2 for each in found.negations[denied]):
        return False
    return not (is_attributive(one, mine, known) or is_attributive(other, theirs, known))


def _hedged(mine: Meaning, theirs: Meaning, known: Lexicon) -> bool:
    """Return whether one of them holds under a condition that the other does not name."""
    return known.hedges.intersection(mine.units) != known.hedges.intersection(theirs.units)


FEATURES = (
    "least covered",
    "most covered",
    "common",
    "moved",
    "beside the same",
    "flipped",
    "unspaced",
)
"""What `likelihood` weighs, in [0, 1], in the order of `features`: the share of the words of each statement that
the other has; how many they are, and whether in another order; whether other words stand on the same side of a
common word; whether a negation takes back an opposite; a script without spaces.
"""


class _Trained(msgspec.Struct, frozen=True):
    features: tuple[str, ...]
    weights: list[float]
    bias: float


@functools.cache
def _trained() -> _Trained:
    return msgspec.json.decode(_WEIGHTS.read_bytes(), type=_Trained)


def likelihood(mine: Meaning, theirs: Meaning, found: Aligned, known: Lexicon) -> float:
    """Return how probable it is, 0-1, that two aligned statements say the same; rounded, as machines differ."""
    values = features(mine, theirs, found, known)
    if values is None:
        return 0.0
    trained = _trained()
    odds = trained.bias + sum(weight * value for weight, value in zip(trained.weights, values, strict=True))
    return round(1.0 / (1.0 + math.exp(-odds)), 6)


def features(mine: Meaning, theirs: Meaning, found: Aligned, known: Lexicon) -> tuple[float, ...] | None:
    """Return `FEATURES`; None for two statements that cannot say the same, whatever else they share.

    These have a name, a number, a relative or a condition that the other lacks, other values, an odd number of
    negations, opposites that no negation takes back, names or roles exchanged, other words in the same place, or
    one of them says the same and more.
    """
    denied = abs(len(found.negations[0]) - len(found.negations[1]))
    if found.values or (denied + len(found.opposites)) % 2 or len(found.opposites) > 1:
        return None
    shared = len(found.common) + len(found.opposites)
    # Cheap: most near texts have little in common.
    if shared < _FEWEST_COMMON or max(map(len, found.left)) > shared + _MOST_MORE or _hedged(mine, theirs, known):
        return None
    found = with_derived(found)
    if not found.common:
        return None
    if any(
        _distinguishes(each, text) for text, side in zip((mine, theirs), found.left, strict=True) for each in side
    ):
        return None
    if not keeps_order(found, known):
        return None
    if fit_in_voice(mine, theirs, found, known) is False or are_exchanged(mine, theirs, found, known):
        return None
    if not keeps_bare_order(mine, theirs, found, known):
        return None
    unspaced = is_unspaced(mine.units[0])
    if found.opposites and not _flips_back(mine, theirs, found, known):
        return None
    if unspaced and not same_roles(mine, theirs, found, known):
        return None
    common = _size(one for one, _ in found.common)
    covered = [common / (common + _size(each for each in side if not each.phrase.faint)) for side in found.left]
    order = [other.first for _, other in sorted(found.common, key=lambda pair: pair[0].first)]
    moved = any(one > other for one, other in pairwise(order))
    if not moved and min(covered) < max(covered) == 1:
        return None  # the same and more
    around = _around(mine, theirs, found)
    if not set(around[0]).isdisjoint(around[1]):
        return None  # the same build, with another word
    return (
        min(covered),
        max(covered),
        min(common, _ENOUGH) / _ENOUGH,
        float(moved),
        float(_share_a_side(*around)),
        float(bool(found.opposites)),
        float(unspaced),
    )


def _distinguishes(concept: Concept, text: Meaning) -> bool:
    name = concept.name or (concept.first == 0 and text.units[0] in given_names())
    return name or concept.phrase.kin or NUMBER in concept.phrase.classes


def _size(concepts: Iterable[Concept]) -> int:
    return sum(each.last - each.first + 1 for each in concepts)


def _around(mine: Meaning, theirs: Meaning, found: Aligned) -> tuple[list[_Beside], list[_Beside]]:
    """Return for each word that is left the common words before and behind it, by their places in `common`."""
    sides: tuple[list[_Beside], list[_Beside]] = ([], [])
    for side, text in enumerate((mine, theirs)):
        places = {pair[side].first: place for place, pair in enumerate(found.common)}
        left = {each.first for each in found.left[side]}
        before, waiting = _START, 0
        for each in text.concepts:
            if each.first in places:
                sides[side].extend([(before, places[each.first])] * waiting)
                before, waiting = places[each.first], 0
            waiting += each.first in left
        sides[side].extend([(before, _END)] * waiting)
    return sides


def _share_a_side(mine: Sequence[_Beside], theirs: Sequence[_Beside]) -> bool:
    return any(one[side] == other[side] for one in mine for other in theirs for side in (0, 1))
