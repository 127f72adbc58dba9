"""Queries that ask nothing ("ok", "cảm ơn", "再见"), and words of questions that nobody else can answer.

Phrases are data (`<code>/trivial.json`). A table holds
`phrases`; `accented_only`, those that mean something else when typed without accents ("vâng", yes, is then
"vang", wine); `internal`, words of questions about the asker's own decisions, errors, work; `happening`,
words of a question for whatever there was ("what happened").
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

import msgspec

from combray.language.caches import from_tables
from combray.language.folding import HANGUL, UNSPACED, fold, is_unspaced
from combray.language.lexicon import matcher, word_lists
from combray.language.scripts import language
from combray.language.tables import section

_DENSE = re.compile(f"[{UNSPACED}{HANGUL}]")
_DENSE_WEIGHT = 3
"""One such character says about as much as three letters (`scripts.py`): 猫 is a word."""
_MOST_PHRASES = 4


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    phrases: list[str] = []
    accented_only: list[str] = []
    internal: list[str] = []
    happening: list[str] = []


_tables = section("trivial", _Table)


def _spelt(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold().replace("’", "'")


def _whole(phrases: Iterable[str]) -> re.Pattern[str]:
    """One to four of the phrases and nothing else, whatever punctuation is around them."""
    parts = [
        re.escape(phrase) + ("" if is_unspaced(phrase) else r"(?!\w)")
        for phrase in sorted(set(phrases), key=lambda each: (-len(each), each))
    ]
    return re.compile(rf"[\W_]*(?:(?:{'|'.join(parts)})[\W_]*){{1,{_MOST_PHRASES}}}")


@from_tables
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Phrases as they are spelt, and as they are typed without accents."""
    spelt = [_spelt(phrase) for table in _tables().values() for phrase in table.phrases]
    bare = [
        fold(phrase)
        for table in _tables().values()
        for phrase in table.phrases
        if phrase not in table.accented_only
    ]
    return _whole(spelt), _whole((*spelt, *bare))


def says_nothing(text: str) -> bool:
    """Whether the whole text is an acknowledgement, a thanks, a greeting or a farewell, up to four in a row."""
    spelt = _spelt(text)
    with_accents, without = _patterns()
    return (without if spelt.isascii() else with_accents).fullmatch(spelt) is not None


def letters(text: str) -> int:
    """Letters and digits; a character of a script in which one is a syllable or a word counts three."""
    return sum(_DENSE_WEIGHT if _DENSE.match(char) else 1 for char in text if char.isalnum())


@from_tables
def _internal() -> re.Pattern[str]:
    return matcher(fold(phrase) for table in _tables().values() for phrase in table.internal)


def internal(text: str) -> bool:
    """Whether a question is about the asker's own doings, so that no other service is to be asked."""
    return _internal().search(fold(text)) is not None


@from_tables
def _topicless() -> dict[str, re.Pattern[str]]:
    """By language, the words that carry no topic, and those for whatever happens in any language."""
    happening = [phrase for table in _tables().values() for phrase in table.happening]
    listed = {
        code: (*table.stopwords, *table.question_words, *table.fillers) for code, table in word_lists().items()
    }
    return {code: matcher({fold(phrase) for phrase in (*words, *happening)}) for code, words in listed.items()}


def asks_what_happened(text: str) -> bool:
    """Whether a question, its dates taken out, names no topic: "what happened", "có gì", "做了什么"."""
    left = fold(text)
    for code in {language(text), "en"} & _topicless().keys():
        left = _topicless()[code].sub(" ", left)
    return not any(char.isalnum() for char in left)
