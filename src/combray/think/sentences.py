"""Texts cut into sentences, each a verbatim piece of its text."""

from __future__ import annotations

import re
from collections.abc import Iterator

LONGEST = 400
"""Characters; a longer run without a full stop is cut between words, so that a quotation stays short."""

_END = re.compile(
    # A line break; a full stop of Chinese and Japanese; one of the others, but only before a blank.
    r"\n+|[。！？；｡]+[”』」）\"']*|[.!?…]+[\"'”’»)\]]*(?=\s|$)"
)
_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:\w|[A-Za-z]\.[A-Za-z]|Mr|Mrs|Ms|Dr|Prof|St|vs|etc|No|Jr|Sr|TP|ThS|TS)\.$"
)
_HALF = re.compile(r"[,;:，；：、—]+\s*|\s+-+\s+")


def sentences(text: str) -> list[str]:
    """The sentences in order, stripped, without empty ones; each stands in the text as it is."""
    return [piece for start, end in _spans(text) for piece in _bounded(text[start:end].strip())]


def clauses(sentence: str) -> list[str]:
    """The parts between commas, colons and dashes, stripped, without empty ones."""
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
