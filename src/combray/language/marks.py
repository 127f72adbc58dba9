"""Marks: the phrases of the language tables that a text holds.

A room names its lists of phrases once, and one look-up of a text's words serves all of them. A phrase can only
be in a text that holds each of its words, and the words of a text are split in any case, so most texts are done
without a search. An automaton over the characters (Aho-Corasick, `ahocorasick_rs` 1.0) takes as long, 10 µs for
46 letters and 7,600 phrases, and finds nine times as many places, since it knows no word boundaries.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from combray.language.folding import fold, is_unspaced, runs

Gated = tuple[Sequence[str], str]
"""Words of which a text with spaces has one if it matches, none for a pattern without; and the pattern."""
_Entry = tuple[frozenset[str], str, tuple[str, ...]]
"""The words that a phrase needs beside its longest one, the phrase, and the lists that hold it."""

# Compiled when first tried: all of them at once would cost every process 60 ms.
_compiled = functools.cache(re.compile)
_JOINED = ("'", "_")


def matcher(wanted: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern that finds any of the phrases, the longest first.

    Phrases match whole words only. Scripts written without spaces have no word boundaries, so their phrases match
    anywhere. Phrases and text must be folded alike.
    """
    spaced: list[str] = []
    unspaced: list[str] = []
    for phrase in sorted(set(wanted), key=lambda phrase: (-len(phrase), phrase)):
        (unspaced if is_unspaced(phrase) else spaced).append(r"\s+".join(map(re.escape, phrase.split())))
    words = [rf"(?<![\w'])(?:{'|'.join(spaced)})(?!\w)"] if spaced else []
    return re.compile("|".join((*words, *unspaced)) or r"(?!)")


@functools.lru_cache(maxsize=1024)
def _matcher_of(wanted: tuple[str, ...]) -> re.Pattern[str]:
    return matcher(wanted)


class Lists:
    """Named lists of phrases, and of patterns that go with them.

    Args:
        phrases: lists by name, in the spelling of the texts (`folding.fold` or `folding.plain`).
        patterns: patterns by the name of their list. `Marks.has` alone reads them.
        bare: in an ASCII text a phrase also matches without its accents, unless this says no.
    """

    def __init__(
        self,
        phrases: Mapping[str, Iterable[str]],
        patterns: Mapping[str, Iterable[Gated]] | None = None,
        bare: Callable[[str], bool] | None = None,
    ) -> None:
        self._phrases, self._bare = {name: set(listed) for name, listed in phrases.items()}, bare
        self._indexes: dict[bool, _Index] = {}
        self._gated: dict[str, dict[str, list[str]]] = {}
        for name, listed in (patterns or {}).items():
            by_gate = self._gated[name] = {"": [], " ": []}
            for gates, pattern in listed:
                for gate in gates or ("" if is_unspaced(pattern) else " ",):
                    by_gate.setdefault(gate, []).append(pattern)

    def of(self, text: str, words: Collection[str] | None = None) -> Marks:
        """Return the marks of a text; `words` are its distinct `folding.runs`."""
        words = runs(text) if words is None else words
        return Marks(text, words, self._index(text.isascii()).within(text, words), self._gated)

    def _index(self, in_ascii: bool) -> _Index:
        if in_ascii not in self._indexes:
            listed = self._phrases
            if in_ascii:
                listed = {name: set(map(self._in_ascii, each)) for name, each in listed.items()}
                listed = {name: set(filter(str.isascii, each)) for name, each in listed.items()}
            self._indexes[in_ascii] = _Index(listed)
        return self._indexes[in_ascii]

    def _in_ascii(self, phrase: str) -> str:
        return phrase if self._bare is None or not self._bare(phrase) else fold(phrase)


class _Index:
    """Phrases of all lists by their longest word; those of scripts without spaces apart."""

    def __init__(self, listed: Mapping[str, Iterable[str]]) -> None:
        self._by_word: dict[str, list[_Entry]] = {}
        self._unspaced: list[_Entry] = []
        holders: dict[str, list[str]] = {}
        for name, phrases in listed.items():
            for phrase in phrases:
                holders.setdefault(phrase, []).append(name)
        for phrase in sorted(holders):
            names = tuple(holders[phrase])
            if is_unspaced(phrase):
                self._unspaced.append((frozenset(), phrase, names))
            else:
                words = runs(phrase)
                longest = max(words, key=len, default="")
                self._by_word.setdefault(longest, []).append((frozenset(words) - {longest}, phrase, names))
        self._wordless = self._by_word.pop("", [])
        self._words = frozenset(self._by_word)

    def within(self, text: str, words: Collection[str]) -> dict[str, list[str]]:
        """Return by list the phrases of which the text holds all words; of a script without spaces all."""
        entries = list(self._wordless)
        if here := self._words.intersection(words):
            every = words if isinstance(words, frozenset) else frozenset(words)
            entries += [each for word in sorted(here) for each in self._by_word[word] if each[0] <= every]
        if self._unspaced and is_unspaced(text):
            entries += [each for each in self._unspaced if each[1] in text]
        possible: dict[str, list[str]] = {}
        for _, phrase, names in entries:
            for name in names:
                possible.setdefault(name, []).append(phrase)
        return possible


class Marks:
    """What a text holds of some `Lists`."""

    __slots__ = ("_gated", "_words", "possible", "text")

    def __init__(
        self,
        text: str,
        words: Collection[str],
        possible: Mapping[str, list[str]],
        gated: Mapping[str, Mapping[str, list[str]]],
    ) -> None:
        self.text, self._words, self._gated = text, words, gated
        self.possible = possible
        """By list the phrases that the text may hold; no list without one is in it."""

    def pattern(self, name: str) -> re.Pattern[str] | None:
        """Return a pattern of the phrases that the text may hold, which finds what all of the list would find."""
        possible = self.possible.get(name)
        return _matcher_of(tuple(possible)) if possible else None

    def has(self, name: str) -> bool:
        """Return whether the text holds a phrase of a list or a match of its patterns."""
        if name in self.possible and any(_stands_in(each, self.text) for each in self.possible[name]):
            return True
        if not (gated := self._gated.get(name)):
            return False
        gates = [*gated.keys() & self._words, " ", *([""] if is_unspaced(self.text) else [])]
        return any(_compiled(pattern).search(self.text) for gate in gates for pattern in gated[gate])

    def all(self, name: str) -> list[str]:
        """Return the phrases of a list in the text, in order."""
        pattern = self.pattern(name)
        return [] if pattern is None else pattern.findall(self.text)

    def spans(self, name: str) -> list[tuple[int, int]]:
        """Return the places of the phrases of a list in the text, in order."""
        pattern = self.pattern(name)
        return [] if pattern is None else [hit.span() for hit in pattern.finditer(self.text)]

    def without(self, name: str, instead: str = " ") -> str:
        """Return the text without the phrases of a list."""
        pattern = self.pattern(name)
        return self.text if pattern is None else pattern.sub(instead, self.text)


def _stands_in(phrase: str, text: str) -> bool:
    """Return whether `matcher` finds a phrase. A single word takes no pattern, which takes long to compile."""
    if len(phrase.split()) != 1 or phrase.strip() != phrase:
        return _matcher_of((phrase,)).search(text) is not None
    if is_unspaced(phrase):
        return phrase in text
    start = text.find(phrase)
    while start >= 0:
        before, behind = text[start - 1 : start], text[start + len(phrase) : start + len(phrase) + 1]
        if not (before in _JOINED or before.isalnum() or behind == "_" or behind.isalnum()):
            return True
        start = text.find(phrase, start + 1)
    return False
