"""Query intent: a reason (WHY), a time (WHEN), a thing or person (ENTITY), or none of these (GENERAL).

The phrases are data (`intent` in words.json). Source: Mnemon, see docs/reference/presets.md.
"""

from __future__ import annotations

from enum import StrEnum

from combray.language.lexicon import word_marks
from combray.language.text import question_of


class Intent(StrEnum):
    """The four intents; the value is the name."""

    WHY = "WHY"
    WHEN = "WHEN"
    ENTITY = "ENTITY"
    GENERAL = "GENERAL"


def detect(query: str) -> Intent:
    """Return the intent of a query in any language of the tables, with or without accents.

    The phrases found are counted. WHY needs strictly more than WHEN, and at least as many as ENTITY: "what is"
    only opens "what is the cause". WHEN needs strictly more than both others; otherwise ENTITY if one of its
    phrases occurs; otherwise GENERAL. Beside a phrase of WHY, words that only relate two events ("before") do
    not count for WHEN. Only whole words match: "sometimes" does not hold "time".
    """
    marks = word_marks(question_of(query))
    why, when, entity, relates = (
        len(marks.all(f"intent.{name}")) for name in ("WHY", "WHEN", "ENTITY", "RELATES")
    )
    if why > when - relates and why >= max(entity, 1):
        return Intent.WHY
    if when > why and when > entity:
        return Intent.WHEN
    return Intent.ENTITY if entity else Intent.GENERAL
