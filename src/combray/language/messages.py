"""Whole messages as queries: which of their sentences ask something, by a mark or as a request."""

from __future__ import annotations

import re
from itertools import islice

from combray.language.caches import from_tables
from combray.language.folding import fold, is_unspaced
from combray.language.indexing import QUESTION_ENDS
from combray.language.lexicon import folded, word_lists
from combray.language.sentences import sentences
from combray.language.tokens import query_terms

LONG_FROM = 14
"""Words beside stop words above which a query of several sentences is a message, as in `SplitQuery`."""
LEADING = 6
"""Words beside stop words around a question from which they dilute its evidence."""
LEAST_TERMS = 1
"""Words beside stop words from which a question says what it asks for."""
LEAST_STATED = 3
"""The same for a statement."""
MOST_CHARACTERS = 4000
"""Characters of a message that are read."""


def questions_of(message: str, most: int) -> list[str]:
    """Return the last `most` questions of a message that say what they ask for, in its order."""
    found = [message[first:last].strip() for first, last in _asking(message)]
    said = [each for each in found if len(query_terms(each)) >= LEAST_TERMS]
    return said[-most:] if most else []


def leads_to_a_question(query: str) -> bool:
    """Return whether a query says `LEADING` words and more around a question, as a short message does."""
    spans = _asking(query)
    if not spans or sum(last - first for first, last in spans) >= len(query.strip()):
        return False
    asked = [query[first:last] for first, last in spans]
    said = len(query_terms(query)) - sum(len(query_terms(each)) for each in asked)
    return said >= LEADING and any(len(query_terms(each)) >= LEAST_TERMS for each in asked)


def statements_of(message: str, most: int) -> list[str]:
    """Return the first `most` sentences of a message that say something."""
    said = (each for each in sentences(message[:MOST_CHARACTERS]) if len(query_terms(each)) >= LEAST_STATED)
    return list(islice(said, most))


def asked_spans(query: str) -> list[tuple[int, int]]:
    """Return where a query asks: the questions of a message, else all of it."""
    if len(query_terms(query)) <= LONG_FROM or len(sentences(query)) < 2:
        return [(0, len(query))]
    return _asking(query)


def _asking(message: str) -> list[tuple[int, int]]:
    found, at = [], 0
    for sentence in sentences(message[:MOST_CHARACTERS]):
        first = message.find(sentence, at)
        if first < 0:
            continue
        at = first + len(sentence)
        if sentence.endswith(QUESTION_ENDS) or _requests().match(fold(sentence)):
            found.append((first, at))
    return found


@from_tables
def _requests() -> re.Pattern[str]:
    """Return a pattern of a request at the start of a sentence: "Please ...", "Tell me ...", "请 ..."."""
    listed = [phrase for table in word_lists().values() for phrase in folded(table.request_words)]
    spaced = "|".join(re.escape(each) for each in listed if not is_unspaced(each))
    unspaced = "|".join(re.escape(each) for each in listed if is_unspaced(each))
    return re.compile(rf"\W*(?:(?:{spaced})\b|(?:{unspaced}))")
