"""Query intent: a reason (WHY), a time (WHEN), a thing or person (ENTITY), or none of these (GENERAL).

The phrases are data (`intent` in words.json). Source: Mnemon, see docs/reference/presets.md.
"""

from __future__ import annotations

from enum import StrEnum

from combray.language.caches import from_tables
from combray.language.lexicon import Phrases, folded, word_lists
from combray.language.text import fold_of, fold_words, question_of


class Intent(StrEnum):
    """The four intents; the value is the name."""

    WHY = "WHY"
    WHEN = "WHEN"
    ENTITY = "ENTITY"
    GENERAL = "GENERAL"


@from_tables
def _patterns() -> dict[str, Phrases]:
    listed = [table.intent for table in word_lists().values()]
    return {
        name: Phrases(folded(phrase for each in listed for phrase in each.get(name, ())))
        for name in ("WHY", "WHEN", "ENTITY", "RELATES")
    }


def detect(query: str) -> Intent:
    """Return the intent of a query in any language of the tables, with or without accents.

    The phrases found are counted. WHY needs strictly more than WHEN, and at least as many as ENTITY: "what is"
    only opens "what is the cause". WHEN needs strictly more than both others; otherwise ENTITY if one of its
    phrases occurs; otherwise GENERAL. Beside a phrase of WHY, words that only relate two events ("before") do
    not count for WHEN. Only whole words match: "sometimes" does not hold "time".
    """
    read = question_of(query)
    folded, words = fold_of(read), fold_words(read)
    why, when, entity, relates = (len(each.all_in(folded, words)) for each in _patterns().values())
    if why > when - relates and why >= max(entity, 1):
        return Intent.WHY
    if when > why and when > entity:
        return Intent.WHEN
    return Intent.ENTITY if entity else Intent.GENERAL
