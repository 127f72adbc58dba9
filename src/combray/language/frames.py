"""Same slot, new value: two statements that are one sentence but for a value.

A rule on the frame, the words that both share outside of names, numbers and values, and not on similarity. Words
like "now" are no part of it. Closed classes only: articles, possessives, forms of "to be".
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from combray.language.caches import from_tables
from combray.language.claim_tokens import Token, tokenise, vocabulary
from combray.language.folding import is_unspaced, plain
from combray.language.tables import phrase_lists
from combray.language.tense import present_phrases, tense_of
from combray.language.text import Text, read_once

_NO_STATE = ("past", "hypothetical", "quoted", "asked")
_LONGEST, _LONGEST_VALUE = 40, 4
"""Words of a statement that is compared, and of a value."""
_NUMERIC = ("number", "date", "unit")
_listed = phrase_lists("frames", "definite be")


@from_tables
def _definite() -> frozenset[str]:
    return frozenset(map(plain, _listed("definite")))


@from_tables
def _be() -> frozenset[str]:
    return frozenset(map(plain, _listed("be")))


@from_tables
def _now() -> re.Pattern[str]:
    """Return a pattern of the phrases that say that something holds now."""
    phrases = sorted(map(plain, present_phrases()), key=len, reverse=True)
    spaced = "|".join(re.escape(each) for each in phrases if not is_unspaced(each[0]))
    unspaced = "|".join(re.escape(each) for each in phrases if is_unspaced(each[0]))
    return re.compile(rf"\b(?:{spaced})\b|(?:{unspaced or '(?!)'})")


@read_once
def _frame(text: Text) -> tuple[tuple[Token, ...], bool]:
    """Return the tokens of a statement without "now", and whether it says so."""
    bare, count = _now().subn(" ", plain(text.text))
    return tuple(tokenise(bare)), count > 0


def same_slot(earlier: str, later: str) -> bool:
    """Return whether a later statement gives another value of what an earlier one states. Never raises.

    The two differ in one run of words, behind the subject and its verb, and in nothing else. Then one of these
    must say that only one value holds at a time: one of the statements says "now"; the subject is definite ("our
    standup", "the default branch") and what it *is* differs, or a number of it. "I like jazz" and "I like dub"
    hold side by side, as do two purchases. What happened, or may be, has no slot.
    """
    (one, said_now), (two, says_now) = _frame(earlier), _frame(later)
    if max(len(one), len(two)) > _LONGEST:
        return False
    front, back = _shared(one, two)
    old, new = one[front : len(one) - back], two[front : len(two) - back]
    if not 0 < len(old) <= _LONGEST_VALUE or not 0 < len(new) <= _LONGEST_VALUE:
        return False
    # "My sister lives in Rome", "my brother lives in Oslo": two runs of words differ, the first in the subject.
    if {each.key for each in old} & {each.key for each in new}:
        return False
    definite = bool(one) and one[0].word in _definite()
    shared = one[:front]
    # The tenses last: to read them costs most.
    if front < (3 if definite else 2) or {tense_of(earlier), tense_of(later)} & set(_NO_STATE):
        return False
    if says_now or said_now:
        return True
    if not definite:
        return False
    if all(any(each.kind in _NUMERIC for each in value) for value in (old, new)):
        return True
    articles = [value[0].word in vocabulary().indefinite for value in (old, new)]
    return any(each.word in _be() for each in shared) and articles[0] == articles[1]


def _shared(one: Sequence[Token], two: Sequence[Token]) -> tuple[int, int]:
    """Return how many tokens two statements share at their beginning, and behind that at their end."""
    shortest = min(len(one), len(two))
    front = back = 0
    while front < shortest and one[front].key == two[front].key:
        front += 1
    while back < shortest - front and one[-1 - back].key == two[-1 - back].key:
        back += 1
    return front, back
