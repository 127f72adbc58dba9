"""Whole messages as queries: which of their sentences ask something, by a mark or as a request."""

from __future__ import annotations

import re

from combray.language.caches import from_tables
from combray.language.folding import fold, is_unspaced
from combray.language.indexing import QUESTION_ENDS
from combray.language.lexicon import folded, word_lists
from combray.language.sentences import sentences
from combray.language.tokens import query_terms

LONG_FROM = 14
"""Words beside stop words above which a query of several sentences is a message, as in `SplitQuery`."""
MOST_CHARACTERS = 4000
"""Characters of a message that are read."""


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
