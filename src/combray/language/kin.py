"""Relatives and acquaintances in a text ("my boss", "her sister"): words are data (`kin.json` of a language)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from combray.language.caches import from_tables
from combray.language.folding import is_unspaced, plain
from combray.language.lexicon import folded
from combray.language.tables import phrase_lists
from combray.language.tokens import split

_listed = phrase_lists("kin", "kin possessive")
_OPENING = 80
"""Characters of a text in which it says whom it speaks of first."""


@from_tables
def kin_words(plain_ascii: bool) -> frozenset[str]:
    """Return the words of relatives and acquaintances, folded; for a text in ASCII those in ASCII only.

    Without its accents "mẹ", a mother, would be "me".
    """
    return frozenset(folded(word for word in _listed("kin") if word.isascii() or not plain_ascii))


def begins_with_kin(text: str) -> bool:
    """Return whether a text first speaks of somebody whom its author knows: "My boss speaks five languages"."""
    return _kin_first().match(plain(text[:_OPENING])) is not None


def names_kin(text: str) -> bool:
    """Return whether a text names a relative or an acquaintance at all."""
    return not kin_words(text.isascii()).isdisjoint(split(text).words)


@from_tables
def _kin_first() -> re.Pattern[str]:
    """Words of a relative behind a possessive, with at most one word between them. In Chinese none is needed."""
    kin, possessive = ([plain(each) for each in _listed(kind)] for kind in ("kin", "possessive"))
    spaced = [rf"(?:{'|'.join(_of_script(words, spaced=True))})" for words in (possessive, kin)]
    unspaced = [rf"(?:{'|'.join(_of_script(words, spaced=False))})" for words in (possessive, kin)]
    return re.compile(rf"{spaced[0]} (?:\w+ )?{spaced[1]}\b|{unspaced[0]}?{unspaced[1]}")


def _of_script(words: Iterable[str], *, spaced: bool) -> list[str]:
    return sorted((re.escape(each) for each in words if is_unspaced(each) != spaced), key=len, reverse=True)
