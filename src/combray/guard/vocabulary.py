"""The word classes of the guard: one table a language, loaded once, matched word by word (character by character
in Chinese and Japanese) along a tree, so that the work is linear in the text and the tables.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from combray.guard.normalising import fold

_TABLES = Path(__file__).parent / "tables"
_UNIT = re.compile(r"[ぁ-ヿ㐀-鿿]|(?:(?![ぁ-ヿ㐀-鿿])[^\W_]|[@$])+(?:'[^\W_]+)*")
_LEET = str.maketrans("01345789@$", "oieastbgas")
_USUAL = 40
_SCRIPTS = {"ja": re.compile("[ぁ-ヿ]"), "ru": re.compile("[б-ю]"), "zh": re.compile("[㐀-鿿]")}
"""Languages known by a letter of their script. What looks Latin in Cyrillic is folded away before."""
LATIN_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")
FEWEST_FOREIGN = 2
"""Words of a language by which a text may be in it."""
CLASS = "#"
"""Key of a tree's node under which the classes of the words that end there stand."""


class Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One language: word classes of words and phrases, accents optional.

    signs: words by which the language is known (none: known by its script, or always on); fillers: words that are
    told apart when a sentence is written without spaces.
    """

    language: str
    classes: dict[str, list[str]]
    signs: list[str] = []
    fillers: list[str] = []


def units(text: str) -> list[str]:
    """Words of a folded text; each Chinese character is one."""
    return _UNIT.findall(text)


@dataclass(frozen=True)
class Vocabulary:
    """One language's tree of phrases, and what its words are mended by."""

    language: str
    tree: dict[str, Any]
    signs: frozenset[str]
    own: frozenset[str]
    known: frozenset[str]
    classes: frozenset[str]
    scrambled: dict[str, str]

    def find(self, words: list[str], found: dict[str, list[tuple[int, int]]]) -> None:
        """Add (first word, last word) of every phrase to its classes."""
        tree = self.tree
        for start, word in enumerate(words):
            node = tree.get(word)
            place = start
            while node is not None:
                for each in node.get(CLASS, ()):
                    found.setdefault(each, []).append((start, place))
                place += 1
                node = node.get(words[place]) if place < len(words) else None


def mend(word: str, vocabulary: Vocabulary) -> list[str]:
    """A word that is not known, as it was meant: without digits for letters, swapped letters, lost gaps."""
    if word.endswith("'s"):
        return [word[:-2]]
    if not word.isalpha():
        # Only a word among figures is a disguise: "2024" and "5pm" are not.
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
    """A word as English knows it, or mended by English; words of a usual length are remembered."""
    return _remembered(word) if len(word) <= _USUAL else _meant(word)


def _meant(word: str) -> tuple[str, ...]:
    english = vocabularies()[0]
    return (word,) if not word or word in english.known else tuple(mend(word, english))


_remembered = functools.lru_cache(maxsize=20_000)(_meant)


def _signature(word: str) -> str:
    return word[0] + "".join(sorted(word[1:-1])) + word[-1]


def _cut(word: str, known: frozenset[str]) -> list[str]:
    """Known words that make up all of a long one, the longest first; [] when it is a word of its own."""
    best: dict[int, list[str]] = {0: []}
    limited = word[:200]
    for end in range(1, len(limited) + 1):
        for start in range(max(0, end - 16), end):
            part = limited[start:end]
            if start in best and part in known and (end not in best or len(best[end]) > len(best[start]) + 1):
                best[end] = [*best[start], part]
    return best.get(len(limited), [])


@functools.cache
def vocabularies() -> tuple[Vocabulary, ...]:
    """Every language, English first."""
    tables = [msgspec.json.decode(path.read_bytes(), type=Table) for path in sorted(_TABLES.glob("??.json"))]
    return tuple(sorted(map(_vocabulary, tables), key=lambda each: (each.language != "en", each.language)))


def _vocabulary(table: Table) -> Vocabulary:
    tree: dict[str, Any] = {}
    words: set[str] = set(table.fillers)
    for name, phrases in table.classes.items():
        for phrase in phrases:
            parts = units(fold(phrase))
            words.update(parts)
            node = tree
            for part in parts:
                node = node.setdefault(part, {})
            if name not in node.setdefault(CLASS, []):
                node[CLASS].append(name)
    english = table.language == "en"
    return Vocabulary(
        language=table.language,
        tree=tree,
        signs=frozenset(part for phrase in table.signs for part in units(fold(phrase))),
        own=frozenset(word for word in words if len(word) >= 4),
        classes=frozenset(table.classes),
        known=frozenset(words) if english else frozenset(),
        scrambled={_signature(word): word for word in words if len(word) >= 6} if english else {},
    )


def spoken(text: str) -> list[Vocabulary]:
    """The languages of a folded text: English always, some by their script, others by two of their own words."""
    distinct = set(LATIN_WORD.findall(text))
    english, *others = vocabularies()
    foreign = distinct - english.known
    several = len(distinct & foreign_words()) >= FEWEST_FOREIGN
    if not several and text.isascii():
        return [english]
    languages = [english]
    for each in others:
        script = _SCRIPTS.get(each.language)
        if script.search(text) if script else len(each.signs & distinct | each.own & foreign) >= FEWEST_FOREIGN:
            languages.append(each)
    return languages


@functools.cache
def foreign_words() -> frozenset[str]:
    """Words by which one of the languages but English is known."""
    return frozenset().union(
        *(each.signs | each.own for each in vocabularies()[1:] if each.language not in _SCRIPTS)
    )
