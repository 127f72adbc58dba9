"""Relatives and acquaintances in a text ("my boss", "her sister"): words are data (`kin.json` of a language)."""

from __future__ import annotations

from combray.language.caches import from_tables
from combray.language.lexicon import folded
from combray.language.tables import phrase_lists

_listed = phrase_lists("kin", "kin")


@from_tables
def kin_words(plain_ascii: bool) -> frozenset[str]:
    """Return the words of relatives and acquaintances, folded; for a text in ASCII those in ASCII only.

    Without its accents "mẹ", a mother, would be "me".
    """
    return frozenset(folded(word for word in _listed("kin") if word.isascii() or not plain_ascii))
