"""The words of a question that say what it asks for, and which of them are names."""

from __future__ import annotations

import re
from typing import NamedTuple

from combray.language.folding import fold
from combray.language.given_names import given_names
from combray.language.text import question_of
from combray.language.tokens import all_terms, query_terms, split, words

MOST = 24
"""Words of a question that are compared with memories."""
_CAPITALISED = re.compile(r"[^\W\d_]['’\w-]*")
_CLITIC = re.compile(r"['’]s?$")


class AskedWord(NamedTuple):
    """A content word of a question: as written in lower case, its index term, and whether it is a name."""

    word: str
    term: str
    name: bool


def asked_words(text: str) -> list[AskedWord]:
    """Return the distinct content words in order, at most `MOST`.

    A name is a word with a capital that is not the first one, or a given name of a language table at the start.
    A question of names alone asks about them: none of its words counts as a name.
    """
    read = question_of(text)
    wanted = set(query_terms(read))
    names = _names(text)
    found: dict[str, AskedWord] = {}
    for word, term in zip(split(read).words, all_terms(read), strict=True):
        if term in wanted and term not in found:
            found[term] = AskedWord(word, term, word in names)
    asked = list(found.values())[:MOST]
    if all(each.name for each in asked):
        asked = [each._replace(name=False) for each in asked]
    return asked


def _names(text: str) -> set[str]:
    found: set[str] = set()
    for place, match in enumerate(_CAPITALISED.finditer(text)):
        written = _CLITIC.sub("", match[0])
        if not written[:1].isupper():
            continue
        folded = fold(written)
        if place or folded in given_names():
            found.update(words(written))
    return found
