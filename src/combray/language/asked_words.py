"""The words of a question that say what it asks for, and which of them are names."""

from __future__ import annotations

import re
from typing import NamedTuple

from combray.language.caches import from_tables
from combray.language.folding import fold, runs
from combray.language.given_names import given_names
from combray.language.indexing import QUESTION_ENDS
from combray.language.lexicon import folded, word_lists
from combray.language.scripts import language
from combray.language.text import fold_of, question_of
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


@from_tables
def _question_words() -> dict[str, frozenset[str]]:
    return {code: frozenset(folded(table.question_words)) for code, table in word_lists().items()}


def asks_several(text: str) -> bool:
    """Return whether a question holds two question words: "When does it leave, and from which pier?"."""
    return _count_question_words(text) > 1


def is_question(text: str) -> bool:
    """Return whether a text is a question, by its mark or a question word, and not a list of words to search."""
    return text.rstrip().endswith(QUESTION_ENDS) or _count_question_words(text) > 0


def _count_question_words(text: str) -> int:
    read = question_of(text)
    listed = runs(fold_of(read))
    known = _question_words()
    codes = dict.fromkeys(("en", language(read)))
    return max(sum(map(known.get(code, _NONE).__contains__, listed)) for code in codes)


_NONE: frozenset[str] = frozenset()


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
