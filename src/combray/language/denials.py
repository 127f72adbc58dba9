"""Plain denials: one of two statements is the other with a negation, and adds nothing to it.

The only words it judges by are those that negate, a closed class in every language (`polarity` in words.json).
"""

from __future__ import annotations

import unicodedata
from typing import NamedTuple

from combray.language.claim_tokens import Token, neutral_terms, tokenise, vocabulary
from combray.language.dates.direction import tells_of_past
from combray.language.folding import is_unspaced
from combray.language.late import late
from combray.language.lexicon import word_lists
from combray.language.polarity import affirmed, changes, negations
from combray.language.scripts import language
from combray.language.tables import default
from combray.language.tense import claim_of, tense_of
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
