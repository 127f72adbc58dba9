"""Trivial queries: acknowledgements and greetings ("ok", "cảm ơn", "再见"), and questions without a topic.

Phrases are data (`trivial` of a language): `phrases`; `accented_only`, those that mean something else without
accents ("vâng", yes, becomes "vang", wine); `internal`, words of questions about the asker's own decisions,
errors and work; `happening`, words of a question for whatever happened.
"""

from __future__ import annotations

import re

from combray.language.caches import from_tables
from combray.language.folding import HANGUL, UNSPACED, fold, is_unspaced, plain
from combray.language.late import late
from combray.language.lexicon import folded, word_lists
from combray.language.marks import Lists
from combray.language.scripts import language
from combray.language.tables import default, phrase_lists

_DENSE = late(f"[{UNSPACED}{HANGUL}]")
_DENSE_WEIGHT = 3
"""One such character carries about as much as three letters: 猫 is a word."""
_MOST_PHRASES = 4


_listed = phrase_lists("trivial", "phrases accented_only internal happening")


@from_tables
def _whole() -> dict[bool, re.Pattern[str]]:
    """Return patterns of one to four of the phrases and nothing else but punctuation; True: in ASCII text.

    In ASCII text phrases also match without their accents.
    """
    spelt = {plain(phrase) for phrase in _listed("phrases")}
    bare = {fold(phrase) for phrase in {*_listed("phrases")} - {*_listed("accented_only")}}
    made = {}
    for ascii_text, phrases in ((False, spelt), (True, spelt | bare)):
        parts = [
            re.escape(phrase) + ("" if is_unspaced(phrase) else r"(?!\w)")
            for phrase in sorted(phrases, key=lambda each: (-len(each), each))
        ]
        made[ascii_text] = re.compile(rf"[\W_]*(?:(?:{'|'.join(parts)})[\W_]*){{1,{_MOST_PHRASES}}}")
    return made


def says_nothing(text: str) -> bool:
    """Return whether the text is only acknowledgements, thanks, greetings or farewells, up to four in a row."""
    spelt = plain(text)
    return _whole()[spelt.isascii()].fullmatch(spelt) is not None


def letters(text: str) -> int:
    """Return the number of letters and digits; a character that is a syllable or a word counts three."""
    return sum(_DENSE_WEIGHT if _DENSE.match(char) else 1 for char in text if char.isalnum())


@from_tables
def _internal() -> Lists:
    return Lists({"internal": map(fold, _listed("internal"))})


def internal(text: str) -> bool:
    """Return whether a question is about the asker's own work, so that no other service is asked."""
    return _internal().of(fold(text)).has("internal")


@from_tables
def _topicless() -> Lists:
    """The words without topic by language, each with `happening` of all languages."""
    return Lists(
        {
            code: folded((*table.stopwords, *table.question_words, *table.fillers, *_listed("happening")))
            for code, table in word_lists().items()
        }
    )


def asks_what_happened(text: str) -> bool:
    """Return whether a question without its dates names no topic: "what happened", "có gì", "做了什么"."""
    left = fold(text)
    for code in sorted({language(text), default()}):
        left = _topicless().of(left).without(code)
    return not any(char.isalnum() for char in left)
