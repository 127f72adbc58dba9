"""Warnings about text that will soon be out of date: instance ids, counts, line numbers, receipts.

The patterns are data (`quality` of a language). Source: Mnemon, see docs/reference/presets.md.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import msgspec

from combray.language.caches import from_tables
from combray.language.tables import section


class QualityWarning(NamedTuple):
    """What will soon be out of date in a text: a stable code, the words found, advice for people."""

    code: str
    found: str
    message: str


class _Sign(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One sign. `needs`: every match of `pattern` contains one of these texts, in lower case."""

    code: str
    needs: list[str]
    pattern: str
    advice: str


_tables = section("quality", list[_Sign])

# The letters beside ASCII that IGNORECASE takes for i, s and k, but `str.lower` does not.
_LIKE_ASCII = re.compile("[\u0130\u0131\u017f\u212a]")
# "at 10:30" is a time of day, "in 58:40" a duration, "16:10" a ratio: none of them is a location.
_CLOCK = re.compile(r"\d{1,3}:[0-5]\d")


@from_tables
def _signs() -> tuple[tuple[_Sign, re.Pattern[str]], ...]:
    signs = (sign for listed in _tables().values() for sign in listed)
    return tuple((sign, re.compile(sign.pattern, re.IGNORECASE)) for sign in signs)


def warnings(text: str) -> list[QualityWarning]:
    """Return the signs found, each kind once, in the order of the tables. Nothing is refused."""
    found = []
    lowered = text.lower()
    odd = not text.isascii() and _LIKE_ASCII.search(text) is not None
    for sign, pattern in _signs():
        # Searching for a fixed text is far cheaper than a pattern, and most texts hold none of them.
        if not (odd or any(needed in lowered for needed in sign.needs)):
            continue
        hits = (hit[0] for hit in pattern.finditer(text))
        first = next((hit for hit in hits if sign.code != "location" or not _CLOCK.fullmatch(hit)), None)
        if first is not None:
            found.append(QualityWarning(sign.code, first, f"“{first}” looks like {sign.advice}."))
    return found
