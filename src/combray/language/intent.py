"""What a question is after, and what a text offers: intents, types of answer, causes.

An intent is a reason (WHY), a time (WHEN), a thing or person (ENTITY), or none of these (GENERAL). "Where does
she live?" is better answered by a turn that names a place: types of answer are coarse, and break ties between
turns that share the question's words, at some microseconds per text. A causal signal says that a text names
something as its cause. Phrases are data (`intent`, `cues`, `asked` and `causality` in words.json). Source of
intents and causal signals: Mnemon, see docs/reference/presets.md.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import IntFlag, StrEnum
from typing import Literal, NamedTuple

from combray.language.caches import from_tables, late
from combray.language.folding import is_unspaced, runs
from combray.language.lexicon import word_lists, word_marks
from combray.language.marks import Lists
from combray.language.text import Text, question_of, read_once


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


class Cue(IntFlag):
    """Types of answer. Stores keep them as one integer, so a bit never changes its meaning."""

    NUMBER = 1
    REASON = 2
    PLACE = 4
    PERSON = 8
    TITLE = 16


_ORDER = (Cue.NUMBER, Cue.REASON, Cue.PLACE, Cue.PERSON, Cue.TITLE)
"""Precedence if a question holds words of several types: "who wrote the book" asks for a person."""

_QUOTES = late('["“„«《「『]')
_DIGIT = re.compile(r"\d")
_capitals = "".join(filter(str.isupper, map(chr, (*range(0x41, 0x590), *range(0x1E00, 0x1F00)))))
# A capitalised word inside a sentence, and another right after it. The character class comes first, so that the
# regex engine jumps from one capital to the next.
_NAME = late(
    rf"[{_capitals}](?<=[^\W\d_{_capitals}] .|, .)[^\W\d_{_capitals}]+( [{_capitals}][^\W\d_{_capitals}]+)?"
)
_CAPITALISED = int(Cue.PLACE | Cue.PERSON | Cue.TITLE)


class _Names(NamedTuple):
    """Words before a capitalised word: those before a place, and those between."""

    before_places: frozenset[str]
    articles: frozenset[str]


@from_tables
def _names() -> _Names:
    listed = [table.cues for table in word_lists().values()]
    return _Names(
        frozenset(word.lower() for each in listed for word in each.before_places),
        frozenset(word for each in listed for word in each.articles),
    )


@from_tables
def _lists() -> Lists:
    """Number words and words of reason; in scripts without spaces also digits that count, and words of places."""
    listed = [table.cues for table in word_lists().values()]
    counted = "".join(sorted({digit for each in listed for digit in each.numbers if is_unspaced(digit)}))
    counters = "|".join(sorted({re.escape(word) for each in listed for word in each.counters}))
    phrases = {
        "numbers": [word for each in listed for word in each.numbers if not is_unspaced(word)],
        "reasons": [phrase.lower() for each in listed for phrase in each.reasons],
        "places": [word for word in _names().before_places if is_unspaced(word)],
    }
    counting = ((), f"[{counted}](?:{counters})")
    return Lists(phrases, {"numbers": [counting]} if counted and counters else None)


def cues(text: str) -> Cue:
    """Return the types of answer a text seems to hold.

    A number or number word; a word of reason; a capitalised word after "in", "at", "near" and the like; a
    capitalised word inside a sentence; two of them in a row, or quotation marks.
    """
    return Cue(cue_bits(text, runs(text)))


def cue_bits(text: str, words: Sequence[str]) -> int:
    """Return the same as an integer; `words` are the text's runs of letters and digits in lower case
    (`tokens.Reading.runs`).
    """
    marks = _lists().of(text.lower(), words)
    found = _named(text)
    if _DIGIT.search(text) or marks.has("numbers"):
        found |= Cue.NUMBER.value
    if marks.has("reasons"):
        found |= Cue.REASON.value
    if marks.has("places"):
        found |= Cue.PLACE.value
    if _QUOTES.search(text):
        found |= Cue.TITLE.value
    return found


def _named(text: str) -> int:
    """Return the bits of the capitalised words inside sentences."""
    found, words = 0, _names()
    for name in _NAME.finditer(text):
        found |= Cue.PERSON.value
        if name[1]:
            found |= Cue.TITLE.value
        if not found & Cue.PLACE.value:
            before = text[max(0, name.start() - 16) : name.start()].lower().split()
            if before[-1] in words.articles:
                before.pop()
            if before and before[-1] in words.before_places:
                found |= Cue.PLACE.value
        if found == _CAPITALISED:
            break
    return found


def asked(query: str) -> Cue | None:
    """Return the type of answer a question asks for; None if it names none."""
    marks = word_marks(question_of(query))
    return next((cue for cue in _ORDER if marks.has(f"asked.{str(cue.name).lower()}")), None)


SubType = Literal["causes", "enables", "prevents"]
Side = Literal["new", "old"]

# Strongest first: "prevented because" is about prevention.
_STRONGEST: tuple[SubType, ...] = ("prevents", "enables", "causes")


class CausalLink(NamedTuple):
    """The causal reading of two texts: which one is the effect, and how the cause acts on it."""

    effect: Side
    sub_type: SubType


@read_once
def signal(text: Text) -> SubType | None:
    """Return the causal type a text signals, prevents before enables before causes; None without a signal."""
    marks = word_marks(text)
    return next((sub_type for sub_type in _STRONGEST if marks.has(f"causality.{sub_type}")), None)


def read_signals(new: SubType | None, old: SubType | None) -> CausalLink | None:
    """Return the causal reading of a new and an older text from their signals, or None if neither has one.

    The text with the signal is the effect ("... because of X" states what X caused), so the edge runs from the
    other text to it. If both have a signal, the new text is the effect.
    """
    if new is not None:
        return CausalLink("new", new)
    return CausalLink("old", old) if old is not None else None
