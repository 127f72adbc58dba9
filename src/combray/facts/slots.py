"""Statements of one author that are one sentence but for a value: the newest first, the earlier ones counted."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from combray.forms.recalling import Recalling
from combray.language.folding import is_unspaced
from combray.language.restatements import same_slot
from combray.pipeline import stage
from combray.runtime import Runtime
from combray.runtime.store import Reader

_WORD = re.compile(r"[^\W_]+")
_APART, _SHARED = 8, 2
"""Words between the front and the end that two statements share, at most: a value, and what says "now" before it.
Words that are in both, at least. To read the frames of all the other pairs took a fifth of a recall."""
BOTH = "both"
"""Subtype of an edge `may_revise` between two memories that hold side by side, as a caller said."""


@stage
class OrderSlots:
    """Arranges the values of one slot among the first `depth` hits: the newest in the first of their places.

    `language.restatements.same_slot` decides, by the words of the two. Other hits stay where they are. Nothing
    moves for a question about the past, nor two that a caller settled as both true. `Assemble` names the earlier
    values at the newest (`Hit.earlier`), and marks them as perhaps outdated by it.
    """

    needs = ("sorted", "question")
    depth: int = 10
    longest: int = 40
    """Words of a statement that is compared."""

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if not len(state.keys) or state.times.past or (state.question is not None and state.question.asks_past):
            return state
        rows = state.columns()
        first = range(min(self.depth, state.asked.limit, len(state.keys)))
        places = [at for at in first if rows.author[at] >= 0 and rows.words[at] <= self.longest]
        if len(places) < 2:
            return state
        keys = state.keys.tolist()
        texts = dict(zip(places, state.contents([keys[at] for at in places]), strict=True))
        words = {at: _words(text) for at, text in texts.items()}
        newest_first = sorted(places, key=lambda at: (-rows.moment[at], -keys[at]))
        order = list(range(len(keys)))
        grouped: set[int] = set()
        for at in newest_first:
            if at in grouped:
                continue
            group = [
                other
                for other in newest_first[newest_first.index(at) + 1 :]
                if other not in grouped
                and rows.author[other] == rows.author[at]
                and _near(words[other], words[at])
                and same_slot(texts[other], texts[at])
            ]
            held = {keys[each] for each in group} & held_beside(state.reader, keys[at]) if group else set()
            group = [each for each in group if keys[each] not in held]
            if group:
                grouped |= {at, *group}
                state.edges.slots[keys[at]] = tuple(keys[each] for each in group)
                for place, member in zip(sorted([at, *group]), [at, *group], strict=True):
                    order[place] = member
        if grouped:
            state.arrange(state.keys[np.array(order)], state.scores)
        return state


def _words(text: str) -> tuple[str, ...]:
    """Return the words of a text; none if it has a script without spaces between words."""
    return () if is_unspaced(text) else tuple(_WORD.findall(text.lower()))


def _near(one: Sequence[str], two: Sequence[str]) -> bool:
    """Return whether two statements may have one frame: most of it stands before or behind what differs."""
    if not one or not two:
        return True
    shortest, front, back = min(len(one), len(two)), 0, 0
    while front < shortest and one[front] == two[front]:
        front += 1
    while back < shortest - front and one[-1 - back] == two[-1 - back]:
        back += 1
    apart = max(len(one), len(two)) - front - back
    return apart <= _APART and len(set(one) & set(two)) >= _SHARED


def held_beside(reader: Reader, key: int) -> set[int]:
    """Return the memories that hold beside one, as a caller said."""
    links = [each for each in reader.links([key], ("may_revise",)) if each.subtype == BOTH]
    return {each.source if each.target == key else each.target for each in links}


def earlier_values(reader: Reader, new: int, keys: Sequence[int]) -> list[int]:
    """Return those of the keys that state an earlier value of what `new` states, and are not held beside it."""
    (text,) = reader.contents([new])
    beside = held_beside(reader, new)
    others = [key for key in keys if key != new and key not in beside]
    return [key for key, other in zip(others, reader.contents(others), strict=True) if same_slot(other, text)]
