"""The guard's word classes: one table per language, compiled to a prefix tree of words.

Chinese and Japanese are matched by character. Matching is linear in the text.
"""

from __future__ import annotations

import functools
import itertools
import re
from typing import Any

import msgspec

from combray.guard.disguises import TELEX, fold
from combray.language.caches import from_tables, keyed_by_text
from combray.language.tables import english_first, section
from combray.records import dataclass

_UNIT = re.compile(r"[ぁ-ヿ㐀-鿿]|(?:(?![ぁ-ヿ㐀-鿿])[^\W_]|[@$])+(?:'[^\W_]+)*")
_LEET = str.maketrans("01345789@$", "oieastbgas")
_USUAL = 40
_SCRIPTS = {
    "ar": re.compile("[؀-ۿ]"),
    "ja": re.compile("[ぁ-ヿ]"),
    "ko": re.compile("[ᄀ-ᇿ]"),
    "ru": re.compile("[б-ю]"),
    "zh": re.compile("[㐀-鿿]"),
}
"""Languages that are detected by a letter of their script. Cyrillic look-alikes were folded to Latin before, and
Hangul syllables to their letters."""
LATIN_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")
FEWEST_FOREIGN = 2
"""Number of a language's words from which a text may be in it."""
_BARE = dict.fromkeys(TELEX.values(), "moi")
CLASS = "#"
"""Key of a node's classes: those of the phrase that ends there."""


class WordClasses(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One language's word classes; accents are optional.

    signs: words that identify the language (none: identified by its script, or always on); fillers: further words
    that are recognised in a sentence written without spaces; compounds: words of two characters. A phrase of one
    character inside them is not found (以 in 可以).
    """

    classes: dict[str, list[str]]
    signs: list[str] = []
    fillers: list[str] = []
    compounds: list[str] = []


def units(text: str) -> list[str]:
    """Return the words of a folded text; each Chinese character is one word."""
    return _UNIT.findall(text)


@dataclass(frozen=True)
class GuardVocabulary:
    """One language's tree of phrases, and the words used to correct misspellings."""

    language: str
    tree: dict[str, Any]
    signs: frozenset[str]
    own: frozenset[str]
    known: frozenset[str]
    classes: frozenset[str]
    scrambled: dict[str, str]
    compounds: frozenset[tuple[str, str]] = frozenset()

    def find(self, words: list[str], found: dict[str, list[tuple[int, int]]]) -> None:
        """Add the (first word, last word) of every phrase to its classes in `found`."""
        tree = self.tree
        inside = self._inside(words) if self.compounds else ()
        for start, word in enumerate(words):
            node = tree.get(word)
            if node is None:
                continue
            place = start
            while node is not None:
                if place > start or start not in inside:
                    for each in node.get(CLASS, ()):
                        found.setdefault(each, []).append((start, place))
                place += 1
                node = node.get(words[place]) if place < len(words) else None

    def _inside(self, words: list[str]) -> set[int]:
        """Return the places of characters that belong to a compound."""
        pairs = enumerate(itertools.pairwise(words))
        return {at for first, pair in pairs if pair in self.compounds for at in (first, first + 1)}


def mend(word: str, vocabulary: GuardVocabulary) -> list[str]:
    """Correct an unknown word: digits for letters, swapped letters, missing spaces."""
    if word.endswith("'s"):
        return [word[:-2]]
    if not word.isalpha():
        # Only a known word is a disguise: "2024" and "5pm" are not.
        plain = word.translate(_LEET)
        if plain in vocabulary.known:
            return [plain]
        other = word.replace("1", "l").translate(_LEET)
        return [other] if other in vocabulary.known else [word]
    if len(word) >= 14:
        return _cut(word, vocabulary.known) or [word]
    if len(word) >= 6:
        return [vocabulary.scrambled.get(_signature(word), word)]
    return [word]


def meant(word: str) -> tuple[str, ...]:
    """Return a known English word, or its correction. Cached for words of ordinary length."""
    return _remembered(word) if len(word) <= _USUAL else _meant(word)


def _meant(word: str) -> tuple[str, ...]:
    english = vocabularies()[0]
    return (word,) if not word or word in english.known else tuple(mend(word, english))


_remembered = keyed_by_text(functools.lru_cache(maxsize=20_000)(_meant))


def _signature(word: str) -> str:
    return word[0] + "".join(sorted(word[1:-1])) + word[-1]


def _cut(word: str, known: frozenset[str]) -> list[str]:
    """Split a word into known words, as few as possible; [] if it cannot be split."""
    best: dict[int, list[str]] = {0: []}
    limited = word[:200]
    for end in range(1, len(limited) + 1):
        for start in range(max(0, end - 16), end):
            part = limited[start:end]
            if start in best and part in known and (end not in best or len(best[end]) > len(best[start]) + 1):
                best[end] = [*best[start], part]
    return best.get(len(limited), [])


_tables = section("guard", WordClasses)


@from_tables
def vocabularies() -> tuple[GuardVocabulary, ...]:
    """Return every language, English first."""
    tables = _tables()
    return tuple(_vocabulary(code, tables[code]) for code in english_first(tables))


def _vocabulary(code: str, table: WordClasses) -> GuardVocabulary:
    tree: dict[str, Any] = {}
    words: set[str] = set(table.fillers)
    for name, phrases in table.classes.items():
        # One call of `fold` for all: most of the time of a first write would go into it.
        for phrase in fold("\n".join(phrases)).split("\n") if phrases else ():
            for parts in _spellings(units(phrase)):
                words.update(parts)
                node = tree
                for part in parts:
                    node = node.setdefault(part, {})
                if name not in node.setdefault(CLASS, []):
                    node[CLASS].append(name)
    english = code == "en"
    return GuardVocabulary(
        language=code,
        tree=tree,
        signs=frozenset(part for phrase in table.signs for part in units(fold(phrase))),
        own=frozenset(word for word in words if len(word) >= 4),
        classes=frozenset(table.classes),
        known=frozenset(words) if english else frozenset(),
        # Sorted: "reserve" and "reverse" have one signature.
        scrambled={_signature(word): word for word in sorted(words) if len(word) >= 6} if english else {},
        compounds=frozenset((each[0], each[1]) for each in table.compounds),
    )


def _spellings(parts: list[str]) -> list[list[str]]:
    """Return a phrase as it is written with accents and, where `fold` keeps some, without them."""
    if _BARE.keys().isdisjoint(parts):
        return [parts]
    return [parts, [_BARE.get(part, part) for part in parts]]


def spoken(text: str) -> list[GuardVocabulary]:
    """Return the languages of a folded text: always English, others by script or by two of their words."""
    distinct = set(LATIN_WORD.findall(text))
    english, *others = vocabularies()
    # Few of a text's words are among these, so the comparison with each language is cheap.
    hits = distinct & foreign_words()
    foreign = hits - english.known
    several = len(hits) >= FEWEST_FOREIGN
    if not several and text.isascii():
        return [english]
    languages = [english]
    in_ascii = text.isascii()
    for each in others:
        script = _SCRIPTS.get(each.language)
        if script and in_ascii:
            continue
        if script.search(text) if script else len(each.signs & hits | each.own & foreign) >= FEWEST_FOREIGN:
            languages.append(each)
    return languages


@from_tables
def foreign_words() -> frozenset[str]:
    """Return the words that identify languages other than English."""
    return frozenset().union(
        *(each.signs | each.own for each in vocabularies()[1:] if each.language not in _SCRIPTS)
    )
