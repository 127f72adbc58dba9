"""Whether a sentence with certain word classes can reach a score: its weights as an upper bound."""

from __future__ import annotations

import functools
from itertools import combinations

from combray.guard.features import EITHER, NEEDS, WORD, classes_of
from combray.guard.phrases import BIT
from combray.guard.weights import Weights, logistic, model
from combray.records import dataclass

_EITHER = tuple(
    (BIT[name], sum(BIT[way[0]] for way in ways if len(way) == 1), several)
    for name, ways in EITHER.items()
    for several in (tuple(sum(BIT[each] for each in way) for way in ways if len(way) > 1),)
)
"""Derived class, the classes of which one is enough, and the alternatives of several classes."""


@functools.lru_cache(maxsize=20_000)
def reaches(present: int, lift: int, score: float, attack: float) -> bool:
    """Whether a sentence with these classes and word weights (in quarters) can reach one of the scores."""
    for bit, enough, several in _EITHER:
        if present & enough or (several and any(present & way == way for way in several)):
            present |= bit
    outside, owner = _limits()
    return outside.reaches(present, lift / 4, score) or owner.reaches(present, 0.0, attack)


@dataclass(frozen=True)
class _Limit:
    """One table of weights as an upper bound: positive weights only.

    bias: with the features that need no class; needed: (classes, weight) of named features by one of their
    classes; alone: weight by class; paired: weight by two classes.
    """

    bias: float
    needed: dict[int, list[tuple[int, float]]]
    alone: dict[int, float]
    paired: dict[int, float]

    def reaches(self, present: int, lift: float, floor: float) -> bool:
        """Whether a sentence with these classes and words of weight `lift` can have a score of `floor`."""
        if floor > 1.0:
            return False
        whole = present
        total, bits = self.bias + lift, []
        while present:
            bit = present & -present
            present ^= bit
            if bit in self.alone:
                bits.append(bit)
                total += self.alone[bit]
            for classes, weight in self.needed.get(bit, ()):
                if whole & classes == classes:
                    total += weight
        paired = self.paired
        total += sum([paired.get(one | other, 0.0) for one, other in combinations(bits, 2)])
        # The order of summation changes the last digits.
        return logistic(total + 1e-9) >= floor


@functools.cache
def _limits() -> tuple[_Limit, _Limit]:
    """Return the bounds for third-party texts and for the owner's."""
    return _limit(model().outside), _limit(model().owner)


def _limit(weighed: Weights) -> _Limit:
    bias = weighed.bias
    needed: dict[int, list[tuple[int, float]]] = {}
    alone, paired = dict.fromkeys(BIT.values(), 0.0), dict[int, float]()
    for name, weight in weighed.weights.items():
        if weight <= 0 or name[0] == WORD:
            continue
        classes = classes_of(name)
        bits = sum({BIT[each] for each in classes or NEEDS.get(name, ())})
        if not bits:
            bias += weight
        elif not classes:
            needed.setdefault(bits & -bits, []).append((bits, weight))
        elif len(classes) == 1:
            alone[bits] += weight
        else:
            paired[bits] = paired.get(bits, 0.0) + weight
    used = [bit for bit in alone if alone[bit] or any(bit & both for both in paired)]
    return _Limit(bias, needed, {bit: alone[bit] for bit in used}, paired)
