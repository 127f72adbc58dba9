"""A statement made again: denied, ended, with another sign, or with another value in the same slot.

A denial is the other statement with a negation, and adds nothing to it. The only words it judges by are those
that negate, a closed class in every language (`polarity` in words.json).

A new value in the same slot is a rule on the frame, the words that both statements share outside of names,
numbers and values, and not on similarity. Words like "now" are no part of it. Closed classes only: articles,
possessives, forms of "to be" (`frames` of a language).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from combray.language.caches import from_tables, late
from combray.language.claim_tokens import Token, neutral_terms, tokenise, vocabulary
from combray.language.dates.statements import tells_of_past
from combray.language.folding import is_unspaced, plain
from combray.language.lexicon import word_lists
from combray.language.polarity import affirmed, changes, negations
from combray.language.scripts import language
from combray.language.tables import default, phrase_lists
from combray.language.tense import claim_of, present_phrases, tense_of
from combray.language.text import Text, passing, plain_of, read_once
from combray.language.tokens import content_terms

_LEAST_SHARED = 0.6
"""Share of the affirmed statement's words that its denial repeats."""
_MOST_FURTHER = 2
"""Words of a text that says that something is over beside those of the statement: "longer", "since May"."""
_UNSTATED = frozenset(("hypothetical", "quoted", "asked"))
"""Tenses of what a text does not state."""
_SIGNS = frozenset(("Sm", "So"))
"""Categories of mathematical signs and of pictures."""
_COMPARING = frozenset("<>=~")
_WORD = late(r"\w+")


@read_once
def _tokens(text: Text) -> tuple[Token, ...]:
    """Return the tokens of a text without the words that negate, and without those that change no statement."""
    known = vocabulary()
    found = tokenise(passing(affirmed(text)))
    return tuple([token for token in found if token.kind != "symbol" and token.word not in known.neutral])


@read_once
def _words(text: Text) -> tuple[str, ...]:
    """Return what carries the statement, in order, without the words that negate.

    It is terms, or characters of Chinese: pairs of them would differ around the word that negates.
    """
    without = affirmed(text)
    words = [token.word for token in _tokens(text)] if is_unspaced(without) else content_terms(without)
    return tuple([word for word in words if word not in neutral_terms()])


@read_once
def _persons(text: Text) -> frozenset[str]:
    # French "du" is no German "du".
    known, spoken = vocabulary(), (language(text), default())
    persons = [known.pronouns.get(token.word, "") for token in _tokens(text)]
    return frozenset([person for person in persons if person and person.partition(":")[0] in spoken])


def denies(old: str, new: str) -> bool:
    """Return whether one text plainly denies the other: the same words in the same order, one side negated.

    Double negations, texts that state a change, and other persons or times are not plain. Never raises.
    """
    tenses = {tense_of(old), tense_of(new)}
    return len(tenses) == 1 and not tenses & _UNSTATED and negates(old, new)


def negates(old: str, new: str) -> bool:
    """Return whether one text plainly denies the other, also where "may" permits: "it may be restarted"."""
    before, after = negations(old), negations(new)
    # "Without asking" may stand in both, behind the word that negates.
    if len(before) == len(after):
        # Most pairs: no side is negated.
        return False
    was_denied = before[1:] == after
    if not (was_denied or after[1:] == before) or changes(old) or changes(new):
        return False
    affirms, denial = (_words(new), _words(old)) if was_denied else (_words(old), _words(new))
    if not denial or len(denial) < _LEAST_SHARED * len(affirms):
        return False
    # A denial that says more denies only that: "I like hiking", "I don't like hiking in the rain".
    rest = iter(affirms)
    if not all(word in rest for word in denial) or _persons(old) != _persons(new):
        return False
    tenses = {tense_of(old), tense_of(new)} - {"hypothetical"}
    words = word_lists().get(language(new))
    one_time = (words and words.polarity.past_unmarked) or tells_of_past(old) == tells_of_past(new)
    return len(tenses) <= 1 and not tenses & _UNSTATED and bool(one_time)


def ends(old: str, new: str) -> bool:
    """Return whether a text says that what the other states is over: "I work here", "I no longer work here".

    It is the other's sentence, person and all, with words of an end (`Claim.retracts`) and few others.
    """
    # Few texts end anything, and that is known of the new one before the old one is read.
    if not _retracts(new):
        return False
    before, after = _words(old), _words(new)
    if not before or len(after) - len(before) > _MOST_FURTHER:
        return False
    rest = iter(after)
    same = all(word in rest for word in before) and _persons(old) == _persons(new)
    return same and not _retracts(old)


@read_once
def _retracts(text: Text) -> bool:
    return claim_of(text.text).retracts


def another_sign(old: str, new: str) -> bool:
    """Return whether two texts are the same words with another sign: "> 4 °C" and "< 4 °C", 🔴 and 🟢."""
    if old.isascii() and new.isascii() and _COMPARING.isdisjoint(old):
        return False
    one, two = _signs(old), _signs(new)
    return one.words == two.words and one.signs != two.signs and bool(one.words and one.signs and two.signs)


def takes_back(old: str, new: str) -> bool:
    """Return whether a text is the other's sentence denied, ended, or with another sign."""
    return negates(old, new) or ends(old, new) or another_sign(old, new)


class _Signed(NamedTuple):
    words: tuple[str, ...]
    signs: str


@read_once
def _signs(text: Text) -> _Signed:
    spelt = plain_of(text)
    signs = "".join(char for char in spelt if unicodedata.category(char) in _SIGNS)
    return _Signed(tuple(_WORD.findall(spelt)), signs)


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
