"""Query expansion: a conversational question as keywords that are searched one by one.

Words that carry no topic ("thing", "yesterday", "show") are data (`expansion` of a language). Source: OpenClaw,
stage 1, see docs/reference/presets.md.
"""

from __future__ import annotations

import re
import unicodedata

from combray.language.caches import from_tables
from combray.language.folding import HANGUL, fold
from combray.language.lexicon import folded
from combray.language.marks import Lists
from combray.language.tables import section
from combray.language.tokens import content_terms, query_terms, terms, words
from combray.records import dataclass

_tables = section("expansion", list[str])
SHORT = 3
"""An ASCII word of fewer letters is not a keyword."""

_spelt_words = re.compile(r"[^\W_]+").findall
_hangul = re.compile(f"[{HANGUL}]").search
_kana = re.compile("[\u3041-\u309f\u30a0-\u30ff]").fullmatch


@dataclass(frozen=True, slots=True)
class Expansion:
    """`keywords` are searched; `exact` are numbers and words of one or two letters ("42", "AI").

    Short words match too much to add candidates of their own. They only raise candidates that a keyword found.
    """

    keywords: tuple[str, ...]
    exact: tuple[str, ...] = ()


def expand(text: str) -> Expansion:
    """Return the keywords of a query, folded, distinct, in order.

    Words are split at whitespace and punctuation; Han and kana give characters and pairs; a Korean word also
    gives its stem without the particle. Stop words of the query's language and of languages in other scripts,
    words without topic, words of fewer than three ASCII letters, numbers and single kana are dropped. If
    nothing is left, the numbers and short words are the keywords, else all words.
    """
    # Short words are judged by the query's own language alone: "ai" asks "who" in Vietnamese only.
    content, asking = frozenset(content_terms(text)), frozenset(query_terms(text))
    kept = content & asking | frozenset(filter(_short, content)) or asking
    bare = _vague()[1].of(fold(text)).without("vague")
    spelt = frozenset(_spelt_words(unicodedata.normalize("NFC", text).lower()))
    keywords: dict[str, None] = {}
    exact: dict[str, None] = {}
    for word, term in zip(words(bare), terms(bare), strict=True):
        if term not in kept or _is_vague(word, kept):
            continue
        if word.isdecimal() or (_short(word) and word in spelt):
            exact[word] = None
        elif not _kana(word):
            keywords[word] = None
    if keywords:
        return Expansion(tuple(keywords), tuple(exact))
    return Expansion(tuple(exact or dict.fromkeys(words(text))))


def _short(word: str) -> bool:
    return len(word) < SHORT and word.isascii()


@from_tables
def _vague() -> tuple[frozenset[str], Lists]:
    """Return the words without topic, folded, and a list of them for phrases and unspaced scripts."""
    phrases = frozenset(folded(word for words in _tables().values() for word in words))
    return phrases, Lists({"vague": phrases})


def _is_vague(word: str, kept: frozenset[str]) -> bool:
    """Return whether a Korean word carries no topic, judged by its stem: "어제는" is "어제", yesterday."""
    if not _hangul(word):
        return False
    forms = words(word)
    return any(form in _vague()[0] for form in forms) or not kept.issuperset(terms(word))
