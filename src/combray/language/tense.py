"""What a statement claims about time: whether it says how things are now, were, will be or might be.

"I used to live in Lisbon" says nothing about the present, so it must not replace "I live in Berlin". The words
are data (`tense.json` of a language). In doubt a statement is present: a missed hedge costs less than a hidden
fact.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

import msgspec

from combray.language.caches import from_tables
from combray.language.folding import fold, is_unspaced
from combray.language.polarity import plain
from combray.language.tables import section

Tense = Literal["present", "past", "planned", "hypothetical", "quoted", "asked"]

_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])\s*|\n+")
_CLAUSE_END = re.compile(r"[,;:，；：]|\s[–—-]\s|\b(?:and|but|so|then)\b")
_ASKS = ("?", "？")
_SHORTEST = 8
"""Characters of a sentence that can carry a claim: "Gossip." and "Well." do not."""


class Claim(msgspec.Struct, frozen=True):
    """How a statement stands to the present, and what it does to an earlier one.

    `retracts`: it says that something ended ("no longer", "cancelled"); `corrects`: that something was wrong
    ("actually", "I meant"); `adds`: that something holds beside what is known ("also").
    """

    tense: Tense = "present"
    retracts: bool = False
    corrects: bool = False
    adds: bool = False


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Phrases, and patterns (regular expressions on lower-case text) where words are not enough."""

    past: list[str] = []
    past_patterns: list[str] = []
    present: list[str] = []
    planned: list[str] = []
    planned_patterns: list[str] = []
    hypothetical: list[str] = []
    hypothetical_patterns: list[str] = []
    quoted: list[str] = []
    quoted_patterns: list[str] = []
    retracted: list[str] = []
    corrected: list[str] = []
    additive: list[str] = []


_tables = section("tense", _Table)


def claim_of(text: str) -> Claim:
    """Return what a text claims about time. The first sentence that is long enough decides the tense."""
    lowered = plain(text)
    sentences = [each.strip() for each in _SENTENCE_END.split(lowered) if each.strip()]
    flags = {
        "retracts": _holds("retracted", lowered),
        "corrects": _holds("corrected", lowered),
        "adds": _holds("additive", lowered),
    }
    stated = [each for each in sentences if not each.endswith(_ASKS)]
    if not stated:
        return Claim("asked" if sentences else "present", **flags)
    lead = next((each for each in stated if len(each) >= _SHORTEST or is_unspaced(each)), stated[0])
    return Claim(_tense(lead), **flags)


def _tense(sentence: str) -> Tense:
    first = _CLAUSE_END.split(sentence, maxsplit=1)[0]
    if _holds("hypothetical", first):
        return "hypothetical"
    if _holds("quoted", sentence):
        return "quoted"
    if _holds("past", sentence) and not _holds("present", sentence):
        return "past"
    return "planned" if _holds("planned", sentence) else "present"


def _holds(kind: str, lowered: str) -> bool:
    return _patterns()[kind, lowered.isascii()].search(lowered) is not None


@from_tables
def _patterns() -> dict[tuple[str, bool], re.Pattern[str]]:
    """A pattern for each kind of cue, for text with accents and for text in ASCII.

    In ASCII text an accented phrase counts without its accents if it has several words: single words would be
    taken for words of another language ("them" for "thêm").
    """
    found = {}
    for kind in ("past", "present", "planned", "hypothetical", "quoted", "retracted", "corrected", "additive"):
        phrases: set[str] = set()
        bare: set[str] = set()
        patterns: list[str] = []
        for table in _tables().values():
            here = {plain(phrase) for phrase in getattr(table, kind)}
            phrases |= here
            bare |= {fold(phrase) if " " in phrase else phrase for phrase in here}
            patterns += getattr(table, f"{kind}_patterns", [])
        found[kind, False] = _pattern(phrases, patterns)
        found[kind, True] = _pattern((phrase for phrase in bare if phrase.isascii()), patterns)
    return found


def _pattern(phrases: Iterable[str], patterns: list[str]) -> re.Pattern[str]:
    longest_first = sorted(phrases, key=lambda phrase: (-len(phrase), phrase))
    spaced = "|".join(re.escape(phrase) for phrase in longest_first if not is_unspaced(phrase))
    unspaced = [re.escape(phrase) for phrase in longest_first if is_unspaced(phrase)]
    parts = [rf"(?<!\w)(?:{spaced})(?!\w)"] if spaced else []
    return re.compile("|".join((*parts, *unspaced, *patterns)) or r"(?!)")
