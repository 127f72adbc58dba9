"""Split texts into sentences; each is a verbatim substring."""

from __future__ import annotations

from collections.abc import Iterator

from combray.language.late import late

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
