"""Phrases of the guard's word classes, by the rarest word of each, so that few are tried on a text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from combray.guard.features import EITHER, KINDS, NEEDS
from combray.guard.vocabulary import CLASS, Vocabulary, vocabularies
from combray.language.caches import from_tables
from combray.language.tokens import is_stop
from combray.records import dataclass, replace

BIT: Mapping[str, int] = {
    name: 1 << at
    for at, name in enumerate(
        sorted(
            {
                *chain(*NEEDS.values()),
                *chain(*chain(*EITHER.values())),
                *EITHER,
                *KINDS,
                *chain(*(language.classes for language in vocabularies())),
            }
        )
    )
}
Phrase = tuple[frozenset[str], int]
"""The words of a phrase and its classes."""


@dataclass(frozen=True, slots=True)
class Index:
    """A language's phrases with classes as bits: single words, and longer phrases by their rarest word."""

    single: dict[str, int]
    longer: dict[str, tuple[Phrase, ...]]


def classes_in(words: set[str], index: Index) -> int:
    """Return the classes of the phrases all words of which are among these, as bits."""
    present = 0
    for word in words & index.single.keys():
        present |= index.single[word]
    for word in words & index.longer.keys():
        for others, bits in index.longer[word]:
            if others <= words:
                present |= bits
    return present


@from_tables
def index_of(language: str, kinds: frozenset[str] | None = None) -> Index:
    """Return the index of a language, or of its phrases of some classes. Stop words say little about a phrase."""
    whole = next(each for each in vocabularies() if each.language == language)
    tree = whole.tree if kinds is None else part_of(language, kinds).tree
    phrases = [(words, bits) for words, bits in _phrases(tree, ()) if bits]
    many = Counter(word for words, _ in phrases for word in set(words))
    stops = set(filter(is_stop, many))
    index = Index({}, {})
    for words, bits in phrases:
        if len(words) == 1:
            index.single[words[0]] = bits
        else:
            rarest = min(words, key=lambda word: (word in stops, many[word], -len(word), word))
            index.longer[rarest] = (*index.longer.get(rarest, ()), (frozenset(words), bits))
    return index


@from_tables
def part_of(language: str, kinds: frozenset[str]) -> Vocabulary:
    """Return a language's vocabulary with the phrases of these classes only: it is faster to search."""
    whole = next(each for each in vocabularies() if each.language == language)
    return replace(whole, tree=_pruned(whole.tree, kinds))


def _pruned(node: Mapping[str, Any], kinds: frozenset[str]) -> dict[str, Any]:
    kept = {
        word: [name for name in below if name in kinds] if word == CLASS else _pruned(below, kinds)
        for word, below in node.items()
    }
    return {word: below for word, below in kept.items() if below}


def _phrases(node: Mapping[str, Any], words: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], int]]:
    for word, below in node.items():
        if word == CLASS:
            yield words, sum(BIT.get(name, 0) for name in below)
        else:
            yield from _phrases(below, (*words, word))
