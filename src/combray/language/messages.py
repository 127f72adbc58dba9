"""Whole messages as queries: which of their sentences ask something, by a mark or as a request."""

from __future__ import annotations

from combray.language.indexing import QUESTION_ENDS
from combray.language.sentences import sentences
from combray.language.text import passing
from combray.language.tokens import query_terms, request_in

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
        if sentence.endswith(QUESTION_ENDS) or request_in(passing(sentence)):
            found.append((first, at))
    return found
