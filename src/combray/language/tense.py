"""What a statement claims about time: whether it says how things are now, were, will be or might be.

"I used to live in Lisbon" says nothing about the present, so it must not replace "I live in Berlin". In doubt a
statement is present: a missed hedge costs less than a hidden fact.

The words are data (`tense` of a language): phrases, and patterns where words are not enough. A pattern is
written "WORD WORD => REGULAR EXPRESSION": in text with spaces it is only tried if one of the words is there.
Macros of the same file may stand in it (`tables.filled`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from itertools import pairwise
from typing import Literal

import msgspec

from combray.language.caches import from_tables, late
from combray.language.folding import is_unspaced, plain
from combray.language.marks import Gated, Lists, Marks
from combray.language.tables import filled, section
from combray.language.text import Text, plain_of, plain_words, read_once
from combray.records import dataclass

Tense = Literal["present", "past", "planned", "hypothetical", "quoted", "asked"]

TENSE_BITS: Mapping[Tense, int] = {"past": 32, "planned": 64, "hypothetical": 128, "quoted": 256, "asked": 512}
"""Bit of each tense but the present. Stores keep them with those of `intent.Cue`: none changes its meaning."""


class TenseTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The words of one language: phrases and patterns by what they mark.

    names: patterns of words that are only names when they are capitalised ("Will"); conditional: marks of a
    supposition that count in the whole lead sentence, while `hypothetical` counts in its first clause.

    For `dates.statements`: respelt: patterns of words that are a verb in another language (German "was"), and
    what is read instead; attached: what stands before a date that only describes a thing; arranged: before one
    that was agreed upon; happened, coming: verbs of a clause whose dates lie behind or ahead.

    For `validity`: starting, ending, ranging: what makes a date the start or end of a time, or both ("from ...
    to"); bounding: what makes it neither ("by"); closing: times of which only the end counts ("end of the year");
    changing: verbs of a change, in the present, whose date is that of the change; postponed: words that put
    something off to another day ("pushed to"); swapped: words beside a new day ("instead", "two weeks later");
    given_up: what stands before the old one ("instead of"); called_off: words of the end of a plan
    ("called off").
    """

    macros: list[str] = []
    respelt: dict[str, str] = {}
    names: list[str] = []
    past: list[str] = []
    past_patterns: list[str] = []
    present: list[str] = []
    present_patterns: list[str] = []
    planned: list[str] = []
    planned_patterns: list[str] = []
    hypothetical: list[str] = []
    hypothetical_patterns: list[str] = []
    conditional: list[str] = []
    conditional_patterns: list[str] = []
    quoted: list[str] = []
    quoted_patterns: list[str] = []
    asked: list[str] = []
    asked_patterns: list[str] = []
    retracted: list[str] = []
    retracted_patterns: list[str] = []
    corrected: list[str] = []
    corrected_patterns: list[str] = []
    additive: list[str] = []
    additive_patterns: list[str] = []
    attached_patterns: list[str] = []
    arranged_patterns: list[str] = []
    happened_patterns: list[str] = []
    coming_patterns: list[str] = []
    starting_patterns: list[str] = []
    ending_patterns: list[str] = []
    ranging_patterns: list[str] = []
    bounding_patterns: list[str] = []
    closing_patterns: list[str] = []
    changing_patterns: list[str] = []
    postponed: list[str] = []
    swapped: list[str] = []
    postponed_patterns: list[str] = []
    swapped_patterns: list[str] = []
    given_up_patterns: list[str] = []
    called_off: list[str] = []
    called_off_patterns: list[str] = []


_tables = section("tense", TenseTable)

MONTH_OF_ORDINAL = r"(?:Jan|Jän|Feb|März|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez)"
"""Months behind a day that is written with a full stop ("am 3. Juni"), which ends no sentence."""
_SENTENCE_END = late(
    rf"(?<=[.!?…])(?!(?:(?<=\b\d\.)|(?<=\b\d\d\.))\s+{MONTH_OF_ORDINAL})\s+|(?<=[。！？])\s*"
    r"|(?<=[\u3400-\u9fff][.!?])(?=\S)|\n+"
)
_ASCII_END = late(rf"\s(?:(?<=[.!?]\s)(?!(?:(?<=\b\d\.\s)|(?<=\b\d\d\.\s))\s*{MONTH_OF_ORDINAL})\s*|(?<=\n)\n*)")
"""The same for ASCII. It begins with a space, so that the regex engine jumps from space to space."""
_CLAUSE_END = late(r"[,;:，；：]|\s[–—-]\s|\b(?:but|so|then)\b|\band (?=(?:i|we|he|she|they|it|you)\b)")
AFTER_HAN = r"(?<=[\u3400-\u9fff])"
"""A comma behind it divides: many write Chinese with ASCII marks and without spaces."""
_CLAUSE = late(
    rf"(?<=[.!?…])\s+|[。！？；;，]+|{AFTER_HAN}[,.!?](?=\S)|\n+|, (?!\d)|: (?!\d)|\s[–—-]\s"
    r"|\b(?:but|so|because) |\band (?=(?:I|we|he|she|they|it)\b)"
)
_ASKS = ("?", "？")
_SHORTEST = 8
"""Characters of a sentence that can carry a claim."""
_FEWEST_SPACES = 2
LEAD = 400
"""Characters of a text that its tense is read from. It is read for every text that is indexed."""
_FLAGGED = 2000
"""Characters of a text that are searched for what it does to an earlier statement."""


@dataclass(frozen=True, eq=False)
class Claim:
    """How a statement stands to the present, and what it does to an earlier one.

    Only the tense is computed at once.
    """

    tense: Tense = "present"
    text: str = ""

    @cached_property
    def retracts(self) -> bool:
        """Whether it says that something ended ("no longer", "cancelled")."""
        return self.tense == "present" and _marks(self.text).has("retracted")

    @cached_property
    def corrects(self) -> bool:
        """Whether it says that something was wrong ("actually", "I meant")."""
        return self.tense in ("present", "past", "planned") and _marks(self.text).has("corrected")

    @cached_property
    def adds(self) -> bool:
        """Whether it says that something holds beside what is known ("also")."""
        return self.tense in ("present", "past", "planned") and _marks(self.text).has("additive")


def says_put_off(text: str) -> bool:
    """Return whether a text says outright that something is put off to another day, or does not take place.

    "Sold out before nine" retracts and calls nothing off. Nor does a
    question ("What if I took the train on the 8th instead?").
    """
    if any(mark in text for mark in _ASKS):
        text = " ".join(sentences_of(text))
    return any(map(_marks(text).has, ("postponed", "swapped", "called_off")))


def claim_of(text: str) -> Claim:
    """Return what a text claims about time."""
    return Claim(tense_of(text), text)


@read_once
def tense_of(text: Text) -> Tense:
    """Return the tense of a text: that of the first sentence that is long enough.

    A text of any length costs some tens of microseconds: only its first 400 characters are read.
    """
    raw = lead_of(text)
    if not raw:
        return "asked" if text.text[:LEAD].strip() else "present"
    return _tense(raw)


def _tense(raw: str) -> Tense:
    """Return the tense of one sentence."""
    marks = _lists().of(plain(_names().sub("", raw)))
    if marks.has("asked"):
        return "asked"
    # "We use Jest, but might change" states something first.
    if marks.has("conditional") or _lists().of(_CLAUSE_END.split(marks.text, 1)[0]).has("hypothetical"):
        return "hypothetical"
    if marks.has("quoted"):
        return "quoted"
    # "I had it wrong before, the number is 7754" is about what holds.
    # So is "it was planned for May, it is pushed to 3 September".
    about_now = ("present", "corrected", "postponed")
    if marks.has("past") and not any(map(marks.has, about_now)):
        return "past"
    return "planned" if marks.has("planned") else "present"


@read_once
def sentences_of(text: Text) -> tuple[str, ...]:
    """Return the sentences of the beginning of a text that its tense is read from, without questions."""
    start = text.text[:LEAD]
    sentences = [each.strip() for each in (_ASCII_END if start.isascii() else _SENTENCE_END).split(start)]
    return tuple([each for each in sentences if each and not each.endswith(_ASKS)])


@read_once
def lead_of(text: Text) -> str:
    """Return the sentence that decides the tense, as written; "" for a text of questions alone."""
    stated = sentences_of(text)
    return next((each for each in stated if _carries(each)), (stated or ("",))[0])


def _carries(sentence: str) -> bool:
    """Return whether a sentence can carry a claim: "Decided." and "It's signed!" announce one."""
    return (len(sentence) >= _SHORTEST and sentence.count(" ") >= _FEWEST_SPACES) or is_unspaced(sentence)


def tense_bit(text: str) -> int:
    """Return the bit of a text's tense in `TENSE_BITS`, 0 for the present."""
    return TENSE_BITS.get(tense_of(text), 0)


def clauses(text: str) -> list[tuple[int, int]]:
    """Return the offsets of the clauses of a text, in order and without gaps."""
    ends = [found.end() for found in _CLAUSE.finditer(text)]
    return list(pairwise([0, *ends, len(text)]))


@from_tables
def pattern_of(*kinds: str, at_end: bool = False) -> re.Pattern[str]:
    """Return a pattern of some kinds in every language, for text in the spelling of `plain`.

    With `at_end` it finds them at the end of what stands before a date.
    """
    found = "|".join(pattern for kind in kinds for _, pattern in _patterns(kind)) or "(?!)"
    return re.compile(rf"(?:{found})\s*$" if at_end else found)


def respelt(text: str) -> str:
    """Return a clause without words that another language would read as a verb."""
    for pattern, instead in _respelt():
        text = pattern.sub(instead, text)
    return text


@from_tables
def _respelt() -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple(
        (re.compile(key), instead) for table in _tables().values() for key, instead in table.respelt.items()
    )


@from_tables
def _names() -> re.Pattern[str]:
    names = sorted({name for table in _tables().values() for name in table.names})
    return re.compile(rf"\b(?:{'|'.join(names)})\b" if names else "(?!)")


@read_once
def _marks(text: Text) -> Marks:
    """Return the marks of the beginning of a text."""
    if len(text.text) <= _FLAGGED:
        return _lists().of(plain_of(text), plain_words(text))
    return _lists().of(plain(text.text[:_FLAGGED]))


def present_phrases() -> list[str]:
    """Return the phrases that say that something holds now, in every language."""
    return [phrase for table in _tables().values() for phrase in table.present]


@from_tables
def _lists() -> Lists:
    """The marks of time by kind. Without its accents a single word is one of another language."""
    kinds = [kind for kind in TenseTable.__struct_fields__ if f"{kind}_patterns" in TenseTable.__struct_fields__]
    phrases = {
        kind: [plain(phrase) for table in _tables().values() for phrase in getattr(table, kind)] for kind in kinds
    }
    return Lists(phrases, {kind: _patterns(kind) for kind in kinds}, bare=lambda phrase: " " in phrase)


def _patterns(kind: str) -> list[Gated]:
    """Return the patterns of a kind with the words that they need, macros filled in."""
    found = []
    for table in _tables().values():
        for each in getattr(table, f"{kind}_patterns"):
            gates, arrow, pattern = each.rpartition("=> ")
            found.append((gates.split() if arrow else (), filled(pattern, table.macros)))
    return found
