"""Advice on what is worth remembering: nine signs of a passing state (Mnemon, upstream notes 2.2)."""

from __future__ import annotations

import re
from typing import NamedTuple


class QualityWarning(NamedTuple):
    """What will soon be out of date in a text: a stable code, the words found, advice for people."""

    code: str
    found: str
    message: str


_PATTERNS = (
    (
        "instance_id",
        r"\bi-[0-9a-f]{17}\b",
        "a cloud instance id; instances are replaced, name the role instead",
    ),
    ("resource_count", r"\b\d+ resources? total\b", "a count of resources, true only at that moment"),
    (
        "verification",
        r"\b(?:all|every)\b.{0,30}\bverified\b",
        "a note that a check passed; keep what was learned",
    ),
    ("clean_state", r"\bstate (?:is )?clean\b", "a state observed once; it will change without notice"),
    (
        "receipt",
        r"\b(?:deployed|completed|applied) via\b",
        "a receipt of work done; keep the decision behind it",
    ),
    ("line_number", r"\bline \d+\b", "a line number; lines move with every edit, name the function"),
    ("line_count", r"\b\d{2,} lines\b", "a count of lines, out of date after the next edit"),
    ("location", r"\b(?!https?\b)\w+:\d{2,}\b", "a place like file:line or host:port, which moves easily"),
    (
        "transition",
        r"(?<!\d)\d+\s?(?:→|->)\s?\d+",
        "a change of numbers; keep the value that holds now and the reason",
    ),
)
_COMPILED = tuple((code, re.compile(pattern, re.IGNORECASE), advice) for code, pattern, advice in _PATTERNS)
# "at 10:30" is a time of day, not a place.
_CLOCK = re.compile(r"(?:[01]?\d|2[0-3]):[0-5]\d")


def warnings(text: str) -> list[QualityWarning]:
    """The signs found, each kind once, in the order of the table above. Advisory: nothing is refused."""
    found = []
    for code, pattern, advice in _COMPILED:
        hits = (hit[0] for hit in pattern.finditer(text))
        first = next((hit for hit in hits if code != "location" or not _CLOCK.fullmatch(hit)), None)
        if first is not None:
            found.append(QualityWarning(code, first, f"“{first}” looks like {advice}."))
    return found
