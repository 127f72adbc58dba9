"""Tokens of a text, numbers of number words, and the date table of each language (`<code>/dates.json`).

A token is a run of digits, a run of letters, one Han character, kana or Hangul syllable, or one punctuation
mark. The same code therefore reads languages with and without spaces: "thứ hai" and "星期二" are both phrases of
several tokens. The package documentation describes the keys of a table.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import msgspec

from combray.language.caches import late
from combray.language.tables import section

# No number below ten thousand takes more words than this.
LONGEST_NUMBER = 10

# Han characters, kana and Hangul syllables: each is a token.
_EAST = "㐀-鿿〇ぁ-ヿ가-힣"
_TOKEN = late(rf"[{_EAST}]|\d+|(?:[^\W\d_{_EAST}][\u0300-\u036f]*)+|[^\w\s]|\n")
_INNER_DOT = late(r"(?<=\d)\.(?=\d)")
_CHARACTER = late(f"[{_EAST}]")
_SCRIPTS = {
    "han": late("[㐀-鿿〇]"),
    "kana": late("[ぁ-ヿ]"),
    "hangul": late("[가-힣]"),
    "latin": late(rf"[^\W\d_{_EAST}]"),
}
_PUNCTUATION = str.maketrans("’‘，．／－–—−～", "'',./----~")


class Token(NamedTuple):
    """A token: lower-case NFC `text` and its code point offsets in the given text."""

    text: str
    start: int
    end: int


class Numeral(int):
    """An integer read from a text; `width` is its number of digits as written, 0 for words."""

    width: int = 0

    @classmethod
    def read(cls, digits: str) -> Numeral:
        """The value of a run of decimal digits."""
        value = cls(digits)
        value.width = len(digits)
        return value


class NumberWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The number words of a language.

    `units` are added ("seven", "twenty"), `multipliers` multiply what stands before them ("hundred", "mươi",
    "十"), `joiners` may stand between parts ("and"). Words that only follow each other are concatenated when
    the result has one of the `concatenated` lengths: "nineteen seventy eight", "二零二三".
    """

    units: dict[str, int] = {}
    multipliers: dict[str, int] = {}
    joiners: frozenset[str] = frozenset()
    concatenated: frozenset[int] = frozenset()


def tokenize(text: str) -> list[Token]:
    """Return the tokens of `text` in order; a dot between two digits becomes "·", a line break is a token."""
    flat = text.lower().translate(_PUNCTUATION)
    if len(flat) != len(text):  # "İ" grows when lowered: keep offsets valid and its case
        flat = text.translate(_PUNCTUATION)
    tokens = [Token(m.group(), m.start(), m.end()) for m in _TOKEN.finditer(_INNER_DOT.sub("·", flat))]
    if unicodedata.is_normalized("NFC", flat):
        return tokens
    return [Token(unicodedata.normalize("NFC", t.text), t.start, t.end) for t in tokens]


def has_characters(text: str) -> bool:
    """Return whether the text holds a Han character, kana or a Hangul syllable."""
    return _CHARACTER.search(text) is not None


def scripts_in(text: str) -> set[str]:
    """Return the scripts of a text: "han", "kana", "hangul", and "latin" for every script with spaces."""
    if text.isascii():
        return {"latin"}
    return {name for name, letters in _SCRIPTS.items() if letters.search(text)}


def without_accents(word: str) -> str:
    """Return the word as typed without accents: "thứ" becomes "thu", "đầu" becomes "dau"."""
    parts = unicodedata.normalize("NFD", word.replace("đ", "d"))
    return "".join(c for c in parts if not unicodedata.combining(c))


def numbers_at(words: Sequence[str], first: int, known: NumberWords) -> list[tuple[int, int]]:
    """Return every number that starts at `words[first]` as (index after its last word, value).

    The words may be read as a sum of parts or, digit by digit, as a concatenation.
    """
    found: list[tuple[int, int]] = []
    total, last = 0, -1  # last: the part not yet multiplied, -1 for none
    pieces: list[int] = []  # parts that only follow each other
    index, summing = first, True
    while index < min(len(words), first + LONGEST_NUMBER):
        word = words[index]
        if word in known.joiners and index > first and (total or last >= 0):
            index += 1
            continue
        if word in known.units:
            value = known.units[word]
            if last <= 0:
                pieces, last = [*pieces, value], value
            elif last % 10 == 0 and value < 10 and value:
                pieces[-1], last = last + value, last + value
            else:
                pieces, last, summing = [*pieces, value], value, False
        elif word in known.multipliers and summing:
            total, last, pieces = total + (1 if last < 0 else last) * known.multipliers[word], -1, []
        else:
            break
        index += 1
        if summing:
            found.append((index, total + max(last, 0)))
        if not total and len(pieces) > 1:
            joined = "".join(map(str, pieces))
            if len(joined) in known.concatenated:
                found.append((index, int(joined)))
    return found


class DateTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The date table of one language, as written."""

    script: str
    words: dict[str, dict[str, Any] | list[str]]
    rules: list[list[Any]]
    shares: Literal["", "western", "eastern"] = ""
    always: bool = False
    letters: str = ""
    fold_accents: bool = False
    variants: dict[str, str] = {}
    orders: tuple[str, ...] = ("dmy", "ymd")
    numbers: NumberWords = NumberWords()
    cues: list[str] = []
    forward: list[str] = []
    forward_endings: tuple[str, ...] = ()
    weak: list[str] = []
    modals: list[str] = []
    introducers: list[str] = []
    anchors: list[str] = []
    patterns: list[str] = []
    distances: list[str] = []
    stop: list[str] = []


date_tables = section("dates", DateTable)
