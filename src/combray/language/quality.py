"""Advice on what is worth remembering: nine signs of a passing state (Mnemon, upstream notes 2.2)."""

from __future__ import annotations

import re
from typing import NamedTuple


class QualityWarning(NamedTuple):
    """What will soon be out of date in a text: a stable code, the words found, advice for people."""

    code: str
    found: str
    message: str


# A code, the one or two words of which one is in every hit, the pattern, the advice.
_PATTERNS = (
    (
        "instance_id",
        ("i-",),
        r"\bi-[0-9a-f]{17}\b",
        "a cloud instance id; instances are replaced, name the role instead",
    ),
    (
        "resource_count",
        ("resource",),
        r"\b\d+ resources? total\b",
        "a count of resources, true only at that moment",
    ),
    (
        "verification",
        ("verified",),
        r"\b(?:all|every)\b.{0,30}\bverified\b",
        "a note that a check passed; keep what was learned",
    ),
    (
        "clean_state",
        ("clean",),
        r"\bstate (?:is )?clean\b",
        "a state observed once; it will change without notice",
    ),
    (
        "receipt",
        (" via",),
        r"\b(?:deployed|completed|applied) via\b",
        "a receipt of work done; keep the decision behind it",
    ),
    (
        "line_number",
        ("line ",),
        r"\bline \d+\b",
        "a line number; lines move with every edit, name the function",
    ),
    (
        "line_count",
        (" lines",),
        r"\b\d{2,} lines\b",
        "a count of lines, out of date after the next edit",
    ),
    (
        "location",
        (":",),
        r"\b(?!https?\b)\w+:\d{2,}\b",
        "a place like file:line or host:port, which moves easily",
    ),
    (
        "transition",
        ("→", "->"),
        r"(?<!\d)\d+\s?(?:→|->)\s?\d+",
        "a change of numbers; keep the value that holds now and the reason",
    ),
)
_COMPILED = tuple(
    (code, held, re.compile(pattern, re.IGNORECASE), advice) for code, held, pattern, advice in _PATTERNS
)
# The letters beside ASCII that IGNORECASE takes for i, s and k, but `str.lower` does not.
_LIKE_ASCII = re.compile("[\u0130\u0131\u017f\u212a]")
# "at 10:30" is a time of day, not a place.
_CLOCK = re.compile(r"(?:[01]?\d|2[0-3]):[0-5]\d")


def warnings(text: str) -> list[QualityWarning]:
    """The signs found, each kind once, in the order of the table above. Advisory: nothing is refused."""
    found = []
    lowered = text.lower()
    odd = not text.isascii() and _LIKE_ASCII.search(text) is not None
    for code, held, pattern, advice in _COMPILED:
        if not (odd or held[0] in lowered or held[-1] in lowered):
            continue
        hits = (hit[0] for hit in pattern.finditer(text))
        first = next((hit for hit in hits if code != "location" or not _CLOCK.fullmatch(hit)), None)
        if first is not None:
            found.append(QualityWarning(code, first, f"“{first}” looks like {advice}."))
    return found
