"""Split a text into overlapping chunks of whole lines, each with its exact line range."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from combray.language.folding import HANGUL, UNSPACED
from combray.records import dataclass

TOKENS = 400
OVERLAP = 80
"""Source: OpenClaw's DEFAULT_CHUNK_TOKENS and DEFAULT_CHUNK_OVERLAP, see docs/explanation/documents.md."""
CHARACTERS_PER_TOKEN = 4
_LEAST = 32

_dense = re.compile(f"[{UNSPACED}{HANGUL}]").findall


class ChunkSize(NamedTuple):
    """Tokens of a chunk, and tokens that two chunks share."""

    tokens: int = TOKENS
    overlap: int = OVERLAP


NumberedLine = tuple[int, str]
"""A line's number in its file, from 1, and its text without the line end."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a file. Lines count from 1, both ends inclusive."""

    text: str
    start_line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class _Piece:
    line: int
    text: str
    weight: int


def lines_of(text: str) -> list[NumberedLine]:
    """Return numbered lines as an editor counts them: LF, CRLF and CR end a line."""
    plain = text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
    lines = plain.split("\n")
    if lines[-1] == "":
        lines.pop()
    return list(enumerate(lines, start=1))


def weight(text: str) -> int:
    """Return the length in Latin letters. A character of an unspaced script or Hangul counts as one token."""
    if text.isascii():
        return len(text)
    return len(text) + (CHARACTERS_PER_TOKEN - 1) * len(_dense(text))


def chunk(lines: Iterable[NumberedLine], *, tokens: int = TOKENS, overlap: int = OVERLAP) -> list[Chunk]:
    """Return chunks of at most `tokens` (four letters each), without blank chunks.

    The last lines of a chunk, up to `overlap` tokens, are repeated at the start of the next one if they fit. A
    line longer than a chunk is split, at a space if there is one in its second half.
    """
    most = max(_LEAST, tokens * CHARACTERS_PER_TOKEN)
    carried = min(overlap * CHARACTERS_PER_TOKEN, most - 1)
    chunks: list[Chunk] = []
    taken: list[_Piece] = []
    size = 0
    for piece in _pieces(lines, most):
        if taken and size + piece.weight > most:
            chunks.append(_joined(taken))
            taken = _tail(taken, carried, most - piece.weight)
            size = sum(each.weight for each in taken)
        taken.append(piece)
        size += piece.weight
    if taken:
        chunks.append(_joined(taken))
    return [each for each in chunks if each.text.strip()]


def _pieces(lines: Iterable[NumberedLine], most: int) -> Iterator[_Piece]:
    """Yield lines, and parts of lines that are too long for a chunk. A line end counts as one letter."""
    for number, text in lines:
        rest = text
        while len(rest) >= most or weight(rest) >= most:
            end = _cut(rest, most - 1)
            yield _Piece(number, rest[:end], weight(rest[:end]) + 1)
            rest = rest[end:]
        if rest or not text:
            yield _Piece(number, rest, weight(rest) + 1)


def _cut(text: str, most: int) -> int:
    """Return where to split so that the first part weighs at most `most`."""
    end = min(len(text), most)
    while (heavy := weight(text[:end])) > most:
        end -= max(1, (heavy - most) // CHARACTERS_PER_TOKEN)
    if end == len(text):
        return end
    blank = text.rfind(" ", end // 2, end)
    return blank + 1 if blank > 0 else max(1, end)


def _tail(taken: Sequence[_Piece], wanted: int, room: int) -> list[_Piece]:
    """Return the last pieces that weigh at least `wanted` together, but never more than `room`."""
    size = 0
    start = len(taken)
    while start and size < wanted and size + taken[start - 1].weight <= room:
        start -= 1
        size += taken[start].weight
    return list(taken[start:])


def _joined(taken: Sequence[_Piece]) -> Chunk:
    text = taken[0].text
    for before, piece in pairwise(taken):
        text += piece.text if piece.line == before.line else f"\n{piece.text}"
    return Chunk(text, taken[0].line, taken[-1].line)
