"""Split texts into sentences; each is a verbatim substring. Of a message, which sentences ask something."""

from __future__ import annotations

from collections.abc import Iterator

from combray.language.caches import late
from combray.language.indexing import QUESTION_ENDS
from combray.language.text import passing
from combray.language.tokens import query_terms, request_in

LONGEST = 400
"""Maximum characters of a sentence, so that quotations stay short. A longer one is split between words."""

_END = late(
    # A line break; a Chinese or Japanese full stop; another full stop, but only before white space.
    r"\n+|[。！？；｡]+[”』」）\"']*|[.!?…]+[\"'”’»)\]]*(?=\s|$)"
)
_ABBREVIATION = late(r"(?:^|[\s(])(?:\w|[A-Za-z]\.[A-Za-z]|Mr|Mrs|Ms|Dr|Prof|St|vs|etc|No|Jr|Sr|TP|ThS|TS)\.$")
_HALF = late(r"[,;:，；：、—]+\s*|\s+-+\s+")


def sentences(text: str) -> list[str]:
    """Return the non-empty sentences in order, stripped."""
    return [piece for start, end in _spans(text) for piece in _bounded(text[start:end].strip())]


def clauses(sentence: str) -> list[str]:
    """Return the non-empty parts between commas, colons and dashes, stripped."""
    return [part for each in _HALF.split(sentence) if (part := each.strip())]


def _spans(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for end in _END.finditer(text):
        if end[0] == "." and _ABBREVIATION.search(text[max(0, end.end() - 8) : end.end()]):
            continue
        yield start, end.end()
        start = end.end()
    yield start, len(text)


def _bounded(sentence: str) -> Iterator[str]:
    while len(sentence) > LONGEST:
        blank = sentence.rfind(" ", LONGEST // 2, LONGEST)
        cut = blank if blank > 0 else LONGEST
        yield sentence[:cut].strip()
        sentence = sentence[cut:].strip()
    if sentence:
        yield sentence


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
