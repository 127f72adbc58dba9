"""What a statement claims about time: whether it says how things are now, were, will be or might be.

"I used to live in Lisbon" says nothing about the present, so it must not replace "I live in Berlin". The words
are data (`tense.json` of a language). In doubt a statement is present: a missed hedge costs less than a hidden
fact.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

import msgspec

from combray.language.caches import from_tables
from combray.language.folding import is_unspaced, plain
from combray.language.lexicon import Finder
from combray.language.tables import phrase_lists

Tense = Literal["present", "past", "planned", "hypothetical", "quoted", "asked"]

TENSE_BITS: Mapping[Tense, int] = {"past": 32, "planned": 64, "hypothetical": 128, "quoted": 256, "asked": 512}
"""Bit of each tense but the present. Stores keep them with those of `cues.Cue`: none changes its meaning."""

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


_listed = phrase_lists(
    "tense",
    "past past_patterns present present_patterns planned planned_patterns hypothetical hypothetical_patterns "
    "quoted quoted_patterns retracted retracted_patterns corrected corrected_patterns additive additive_patterns",
)
"""Phrases, and patterns (regular expressions on lower-case text) where words are not enough."""


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
    if _holds("hypothetical", _CLAUSE_END.split(lead, maxsplit=1)[0]):
        return Claim("hypothetical", **flags)
    if _holds("quoted", lead):
        return Claim("quoted", **flags)
    if _holds("past", lead) and not _holds("present", lead):
        return Claim("past", **flags)
    return Claim("planned" if _holds("planned", lead) else "present", **flags)


def tense_bit(text: str) -> int:
    """Return the bit of a text's tense in `TENSE_BITS`, 0 for the present."""
    return TENSE_BITS.get(claim_of(text).tense, 0)


def _holds(kind: str, lowered: str) -> bool:
    return _finder(kind).pattern(lowered).search(lowered) is not None


@from_tables
def _finder(kind: str) -> Finder:
    """Return a finder of one kind of cue.

    Single words need their accents: without them they would be taken for words of another language ("them" for
    "thêm").
    """
    phrases = {plain(phrase) for phrase in _listed(kind)}
    return Finder(phrases, {each for each in phrases if " " not in each}, _listed(f"{kind}_patterns"))
