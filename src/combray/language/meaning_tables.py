"""Phrases of one meaning, opposites and exclusive values of a language, by the words that they are made of.

The words are data (`meanings.json` of a language). `meanings` reads statements with them.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import msgspec
import Stemmer

from combray.language.caches import from_tables, keyed_by_text
from combray.language.folding import UNSPACED, plain
from combray.language.lexicon import word_lists
from combray.language.tables import section
from combray.language.tokens import terms

NUMBER = "number"
"""The class of numbers and clock times, which is in no table."""
_LONGEST_PHRASE = 7
_STEMMERS = {"de": "german", "fr": "french", "es": "spanish"}
UNIT = re.compile(
    rf"\d+(?:[.,:]\d+)*(?:(?:st|nd|rd|th)\b)?|[{UNSPACED}]|[^\W\d_{UNSPACED}]+(?:['-][^\W\d_{UNSPACED}]+)*"
)
_NEGATED = re.compile(r"\b(\w+?)n't\b")
CLITIC = re.compile(r"'(?:s|m|re|ll|ve|d)$")
_ELIDED = re.compile(r"\b[cdjlmnst]'(?=\w)")
_TONE = re.compile(r"([òóỏõọ])([ae])(?!\w)|([ùúủũụ])(y)(?!\w)")
_TONES = dict(zip("òóỏõọùúủũụ", "\u0300\u0301\u0309\u0303\u0323" * 2, strict=True))
"""Tone marks that Vietnamese sets on the first of two vowels or on the second: "khóa", "khoá"."""
_NO_MORE = re.compile(r"\b((?:n'|ne )\w+(?: \w+)?) plus\b")
"""French "no longer", which is spelt as "more"."""


class Meanings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The words of one language.

    same: groups of phrases of one meaning; opposite: pairs of groups that exclude each other; anywhere: opposites
    that count in the subject too ("nobody"); converse: opposites that swap who does it to whom ("older");
    classes: values of which a property has one; functional: phrases before such a value ("born in"); kin: words
    for persons, which a statement cannot gain or lose; broader: a word and the words that it covers; light:
    words that carry nothing; determiners: words before a noun that is known; indefinite: words before a value
    that is one of several ("a"); adjunct: words that start a phrase of time or place; copulas; passive: words
    before who did it; prepositions: words that say what role the noun behind them has; ways: pairs of
    prepositions that give opposite roles ("to", "from"); joining: words between two of one role ("and"); then,
    today: copulas of the past and the present; negations: phrases that negate, beside those of `words.json`;
    faint: words that a restatement may add ("use", "name"); beside: words beside an opposite that a
    contradiction may exchange too ("stays open", "gets cold"); distinct: stop words that distinguish two
    statements; hedges: words of a condition, which two restatements share or lack; single: classes of which a
    property has one value;
    of_time: classes of days and months, which may stand anywhere;
    forms: irregular forms of a verb; stems: keys of words whose index term would be that of another word
    ("leaves", "leave").

    numbers: the words from one upwards, where `words.json` has none; doubtful_numbers: number words that are
    numbers only behind `before_numbers` or before `after_numbers`; articles: number words that are none; clock:
    patterns of spoken times, with what is added to the hour, and the minutes; meridiem: hour and "am" or "pm".
    """

    same: list[list[str]] = []
    opposite: list[tuple[list[str], list[str]]] = []
    anywhere: list[str] = []
    converse: list[tuple[str, str]] = []
    classes: dict[str, list[str]] = {}
    functional: list[str] = []
    kin: list[str] = []
    broader: list[list[str]] = []
    light: list[str] = []
    determiners: list[str] = []
    indefinite: list[str] = []
    adjunct: list[str] = []
    copulas: list[str] = []
    passive: list[str] = []
    prepositions: list[str] = []
    ways: list[tuple[str, str]] = []
    joining: list[str] = []
    then: list[str] = []
    today: list[str] = []
    negations: list[str] = []
    faint: list[str] = []
    beside: list[str] = []
    distinct: list[str] = []
    hedges: list[str] = []
    single: list[str] = []
    of_time: list[str] = []
    forms: dict[str, str] = {}
    stems: dict[str, str] = {}
    numbers: list[str] = []
    doubtful_numbers: list[str] = []
    before_numbers: list[str] = []
    after_numbers: list[str] = []
    articles: list[str] = []
    clock: list[tuple[re.Pattern[str], int, int]] = []
    meridiem: re.Pattern[str] | None = None


_tables = section("meanings", Meanings)


class Phrase(NamedTuple):
    """What the table knows of a phrase; numbers of groups, and names of classes."""

    key: str
    groups: frozenset[int] = frozenset()
    one_side: frozenset[int] = frozenset()
    other_side: frozenset[int] = frozenset()
    classes: frozenset[str] = frozenset()
    covers: frozenset[int] = frozenset()
    covered: frozenset[int] = frozenset()
    anywhere: bool = False
    kin: bool = False
    negates: bool = False
    light: bool = False
    functional: bool = False
    converse: bool = False
    faint: bool = False
    beside: bool = False


class Lexicon:
    """One language's phrases by their first unit."""

    def __init__(self, code: str) -> None:
        self.code = code
        table = _tables()[code]
        self._found: dict[tuple[str, ...], dict[str, Any]] = {}
        for place, group in enumerate(table.same):
            self._add(group, "groups", place)
        for place, (one, other) in enumerate(table.opposite):
            self._add(one, "one_side", place)
            self._add(other, "other_side", place)
        for place, (top, *under) in enumerate(table.broader):
            self._add([top], "covers", place)
            self._add(under, "covered", place)
        for name, words in table.classes.items():
            self._add(words, "classes", name)
        listed = word_lists()[code]
        converse = [word for pair in table.converse for word in pair]
        for flag, words in (
            ("anywhere", table.anywhere),
            ("kin", table.kin),
            ("negates", [*listed.polarity.negations, *table.negations]),
            ("functional", table.functional),
            ("converse", converse),
            ("faint", table.faint),
            ("beside", table.beside),
        ):
            self._add(words, flag, True)
        kept = {*listed.polarity.negations, *table.distinct}
        self._add(
            [word for word in (*listed.stopwords, *listed.claims.neutral) if word not in kept], "light", True
        )
        self._add(table.light, "light", True)
        # A phrase that only looks negative is an ordinary one.
        self._add(listed.polarity.affirmative, "groups", -1)
        self.phrases = {
            units: _phrase(units, kinds) for units, kinds in self._found.items() if len(units) <= _LONGEST_PHRASE
        }
        self._lend_opposites()
        self.negating = frozenset(map(plain, (*listed.polarity.negations, *table.negations)))
        self.units = frozenset(unit for units in self.phrases for unit in units)
        self.lengths: dict[str, tuple[int, ...]] = {}
        """Lengths of the phrases that begin with a unit, the longest first."""
        self.functional: dict[str, tuple[tuple[str, ...], ...]] = {}
        """Functional phrases that begin with a unit, the longest first."""
        for units in sorted(self.phrases, key=len, reverse=True):
            lengths = self.lengths.setdefault(units[0], ())
            if len(units) not in lengths:
                self.lengths[units[0]] = (*lengths, len(units))
            if self.phrases[units].functional:
                self.functional[units[0]] = (*self.functional.get(units[0], ()), units)
        self.determiners, self.indefinite, self.adjunct, self.copulas, self.passive = (
            frozenset(map(plain, words))
            for words in (table.determiners, table.indefinite, table.adjunct, table.copulas, table.passive)
        )
        self.prepositions = frozenset(map(plain, table.prepositions))
        self.ways = frozenset(frozenset(map(plain, pair)) for pair in table.ways)
        self.then, self.today = frozenset(map(plain, table.then)), frozenset(map(plain, table.today))
        self.joining, self.hedges = frozenset(map(plain, table.joining)), frozenset(map(plain, table.hedges))
        self.of_time = frozenset((NUMBER, *table.of_time))
        self.single = frozenset((NUMBER, *table.single))

    def _lend_opposites(self) -> None:
        """A phrase without opposites of its own has those of its synonyms: "not open" is against "open"."""
        members: dict[int, list[Phrase]] = {}
        for phrase in self.phrases.values():
            for group in phrase.groups:
                members.setdefault(group, []).append(phrase)
        for units, phrase in self.phrases.items():
            if phrase.groups and not (phrase.one_side or phrase.other_side):
                same = [each for group in phrase.groups if group >= 0 for each in members[group]]
                one = frozenset(side for each in same for side in each.one_side)
                other = frozenset(side for each in same for side in each.other_side)
                self.phrases[units] = phrase._replace(one_side=one, other_side=other)

    def _add(self, phrases: Iterable[str], kind: str, value: int | str | bool) -> None:
        for phrase in phrases:
            units = tuple(units_of(phrase, self.code))
            if not units:
                continue
            kinds = self._found.setdefault(units, {})
            if value is True:
                kinds[kind] = True
            else:
                kinds.setdefault(kind, set()).add(value)


def _phrase(units: tuple[str, ...], kinds: Mapping[str, Any]) -> Phrase:
    known: dict[str, Any] = {
        name: frozenset(each) if isinstance(each, set) else each for name, each in kinds.items()
    }
    return Phrase(" ".join(units), **known)


def meaning_table(code: str) -> Meanings:
    """Return the words of a language; empty ones if it has no table."""
    return _tables().get(code, _NONE)


_NONE = Meanings()


@from_tables
def _lexicons() -> dict[str, Lexicon]:
    return {}


def lexicon(code: str) -> Lexicon | None:
    """Return the phrases of a language; None if it has no table."""
    return known_lexicon(code) if code in _tables() else None


def known_lexicon(code: str) -> Lexicon:
    """Return the phrases of a language that has a table. KeyError without one."""
    found = _lexicons()
    if code not in found:
        found[code] = Lexicon(code)
    return found[code]


@keyed_by_text
@functools.lru_cache(maxsize=20_000)
def key_of(word: str, code: str) -> str:
    """Return the key of a lower-case word: its stem, with irregular forms of a verb as one."""
    word = CLITIC.sub("", word) if code == "en" and "'" in word else word
    table = meaning_table(code)
    word = table.forms.get(word, word)
    if word in table.stems:
        return table.stems[word]
    if code == "en":
        return (terms(word) or [word])[0] if word.isalpha() else word
    if code in _STEMMERS and word.isalpha():
        return str(Stemmer.Stemmer(_STEMMERS[code]).stemWord(word))
    return word


def units_of(text: str, code: str) -> list[str]:
    """Return the keys of the words of a text; each character of an unspaced script is a word."""
    return [key_of(word, code) for word in UNIT.findall(lowered(text, code))]


def _on_second(found: re.Match[str]) -> str:
    first, second = found[1] or found[3], found[2] or found[4]
    bare = unicodedata.normalize("NFD", first)[0]
    return bare + unicodedata.normalize("NFC", second + _TONES[first])


def lowered(text: str, code: str) -> str:
    """Return the text in lower case, with contractions written out: "don't" as "do not", "l'eau" as "eau"."""
    found = plain(text)
    if code == "en":
        return _NEGATED.sub(r"\1 not", found).replace("cannot", "can not")
    if code == "vi":
        return _TONE.sub(_on_second, found)
    return _ELIDED.sub("", _NO_MORE.sub(r"\1 pas", found)) if code == "fr" else found
